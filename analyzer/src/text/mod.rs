//! Stage 5, text: what people read about a verdict: claims with their records, the summary, what is missing, and the
//! provenance graph in the model's form.

pub(crate) mod coverage;
pub(crate) mod evidence;
pub(crate) mod explanation;
pub(crate) mod graph_context;
pub(crate) mod phrase;
pub(crate) mod provenance;
