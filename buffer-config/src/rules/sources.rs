//! Links of the sources that rule pages cite: files, issues and pull requests of SONiC, YANG models, papers and
//! standards.

/// Names in the text, and their addresses. Longer names come before names that they contain.
const NAMED: &[(&str, &str)] = &[
    ("RDMA over Commodity Ethernet at Scale", "https://doi.org/10.1145/2934872.2934908"),
    ("Empowering Azure Storage with RDMA", AZURE),
    ("DCQCN, SIGCOMM 2015", "https://doi.org/10.1145/2785956.2787484"),
    ("Zhu et al., SIGCOMM 2015", "https://doi.org/10.1145/2785956.2787484"),
    ("Azure", AZURE),
    (
        "HLD of the dynamic buffer model",
        "https://github.com/sonic-net/SONiC/blob/master/doc/qos/dynamically-headroom-calculation.md",
    ),
    ("IEEE 802.3 annex 31B", "https://standards.ieee.org/ieee/802.3/10422/"),
    ("IEEE 802.3 31B.3.7", "https://standards.ieee.org/ieee/802.3/10422/"),
    ("IEEE 802.3 clauses", "https://standards.ieee.org/ieee/802.3/10422/"),
    ("IEEE 802.1Q-2022", "https://standards.ieee.org/ieee/802.1Q/10323/"),
    ("RFC 2474", "https://www.rfc-editor.org/rfc/rfc2474"),
    ("RFC 8259", "https://www.rfc-editor.org/rfc/rfc8259"),
    ("gcu_field_operation_validators.conf.json", VALIDATORS),
    (
        "buffers_config.j2",
        "https://github.com/sonic-net/sonic-buildimage/blob/master/files/build_templates/buffers_config.j2",
    ),
    (
        "qos_config.j2",
        "https://github.com/sonic-net/sonic-buildimage/blob/master/files/build_templates/qos_config.j2",
    ),
    ("sonic-yang-models", YANG_MODELS),
    ("YANG models", YANG_MODELS),
    ("YANG patterns", YANG_MODELS),
    ("sonic-utilities pfcwd", "https://github.com/sonic-net/sonic-utilities/blob/master/pfcwd/main.py"),
    (
        "sonic-utilities db_migrator",
        "https://github.com/sonic-net/sonic-utilities/blob/master/scripts/db_migrator.py",
    ),
    ("mmuconfig", "https://github.com/sonic-net/sonic-utilities/blob/master/scripts/mmuconfig"),
];

const AZURE: &str = "https://www.usenix.org/conference/nsdi23/presentation/bai";
const YANG_MODELS: &str =
    "https://github.com/sonic-net/sonic-buildimage/tree/master/src/sonic-yang-models/yang-models";
const VALIDATORS: &str = "https://github.com/sonic-net/sonic-utilities/blob/master/generic_config_updater/gcu_field_operation_validators.conf.json";

/// Files of sonic-swss, by folder.
const SWSS_FILES: &[(&str, &[&str])] = &[
    (
        "orchagent",
        &[
            "bufferorch.cpp",
            "flexcounterorch.cpp",
            "orchdaemon.cpp",
            "pfcwdorch.cpp",
            "pfcwdsworch.cpp",
            "portsorch.cpp",
            "qosorch.cpp",
        ],
    ),
    ("orchagent/buffer", &["buffercontainer.h"]),
    (
        "cfgmgr",
        &[
            "buffer_check_headroom_mellanox.lua",
            "buffer_headroom_barefoot.lua",
            "buffer_headroom_mellanox.lua",
            "buffer_pool_mellanox.lua",
            "buffermgr.cpp",
            "buffermgrdyn.cpp",
        ],
    ),
];

/// The repositories whose issues and pull requests are cited, by the name in the text.
const REPOSITORIES: &[(&str, &str)] = &[
    ("sonic-buildimage", "sonic-net/sonic-buildimage"),
    ("sonic-mgmt", "sonic-net/sonic-mgmt"),
    ("sonic-utilities", "sonic-net/sonic-utilities"),
    ("sonic-swss", "sonic-net/sonic-swss"),
    ("swss", "sonic-net/sonic-swss"),
    ("SONiC", "sonic-net/SONiC"),
    ("SAI", "opencomputeproject/SAI"),
];

/// YANG models, by the name after `YANG `.
const MODELS: &[&str] = &[
    "buffer-pool",
    "buffer-profile",
    "buffer-pg",
    "buffer-queue",
    "cable-length",
    "pfcwd",
    "port-qos-map",
    "port",
    "queue",
    "scheduler",
    "wred-profile",
];

/// The text of a source with links. Links and code that it already has stay as they are.
pub(super) fn linked(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text;
    // "issue 28657, PR 28658" are of one repository.
    let mut repository = None;
    while let Some(first) = rest.chars().next() {
        let is_start =
            out.chars().next_back().is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '/'));
        let found = match first {
            '[' => closed(rest, ')').map(|len| (len, None)),
            '`' => closed(rest, '`').map(|len| (len, None)),
            _ if is_start => named(rest).or_else(|| numbered(rest, &mut repository)),
            _ => None,
        };
        let len = match found {
            Some((len, Some(url))) => {
                let name = rest.get(..len).unwrap_or_default();
                out.push_str(&format!("[{name}]({url})"));
                len
            }
            Some((len, None)) => {
                out.push_str(rest.get(..len).unwrap_or_default());
                len
            }
            None => {
                out.push(first);
                first.len_utf8()
            }
        };
        rest = rest.get(len..).unwrap_or_default();
    }
    out
}

/// The length of a text up to a closing character, without the first character.
fn closed(text: &str, end: char) -> Option<usize> {
    text.get(1..)?.find(end).map(|at| at + 1 + end.len_utf8())
}

/// Whether a word ends where a name does.
fn ends(text: &str, len: usize) -> bool {
    let rest = text.get(len..).unwrap_or_default();
    // Another suffix is another file; a point may also end the sentence.
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// A name at the start of a text: its length and address.
fn named(text: &str) -> Option<(usize, Option<String>)> {
    let is_here = |name: &str| text.starts_with(name) && ends(text, name.len());
    if let Some((name, url)) = NAMED.iter().find(|(name, _)| is_here(name)) {
        return Some((name.len(), Some((*url).to_string())));
    }
    for (folder, files) in SWSS_FILES {
        for file in *files {
            // Texts may leave the suffix out.
            let stem = file.strip_suffix(".cpp").unwrap_or(file);
            if let Some(name) = [*file, stem].into_iter().find(|name| is_here(name)) {
                let url = format!("https://github.com/sonic-net/sonic-swss/blob/master/{folder}/{file}");
                return Some((name.len(), Some(url)));
            }
        }
    }
    let model = text.strip_prefix("YANG ")?;
    let name = MODELS.iter().find(|name| model.starts_with(**name) && ends(model, name.len()))?;
    let url = format!(
        "https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models/sonic-{name}.yang"
    );
    Some(("YANG ".len() + name.len(), Some(url)))
}

/// `sonic-mgmt issue 17149` or, after it, `PR 17150` at the start of a text. `repository` is the last one.
fn numbered(text: &str, repository: &mut Option<&'static str>) -> Option<(usize, Option<String>)> {
    let with_repository = REPOSITORIES.iter().find_map(|(name, path)| {
        let rest = text.strip_prefix(name)?.strip_prefix(' ')?;
        kind(rest).map(|(len, ..)| (name.len() + 1 + len, *path, rest))
    });
    let (len, path, rest) = match with_repository {
        Some((len, path, rest)) => (len, path, rest),
        None => {
            let (len, ..) = kind(text)?;
            (len, (*repository)?, text)
        }
    };
    *repository = Some(path);
    let (_, kind, number) = kind(rest)?;
    Some((len, Some(format!("https://github.com/{path}/{kind}/{number}"))))
}

/// `issue 1` or `PR 1`, also in the plural: the length, the part of an address, and the number.
fn kind(text: &str) -> Option<(usize, &'static str, &str)> {
    let words = [("issues ", "issues"), ("issue ", "issues"), ("PRs ", "pull"), ("PR ", "pull")];
    let (word, part) = words.into_iter().find(|(word, _)| text.starts_with(word))?;
    let rest = text.get(word.len()..)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest.get(..digits).filter(|number| !number.is_empty())?;
    Some((word.len() + digits, part, number))
}

#[cfg(test)]
mod tests {
    use super::linked;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(linked(text), expected);
    }

    #[test]
    fn sources_have_links() {
        let swss = "https://github.com/sonic-net/sonic-swss";
        check(
            "qosorch.cpp; swss issue 842, PR 876.",
            &format!(
                "[qosorch.cpp]({swss}/blob/master/orchagent/qosorch.cpp); [swss issue 842]({swss}/issues/842), [PR 876]({swss}/pull/876)."
            ),
        );
        check("bufferorch, x", &format!("[bufferorch]({swss}/blob/master/orchagent/bufferorch.cpp), x"));
        let models =
            "https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models";
        check("YANG port-qos-map", &format!("[YANG port-qos-map]({models}/sonic-port-qos-map.yang)"));
        check("YANG port.", &format!("[YANG port]({models}/sonic-port.yang)."));
        // Links, code and parts of words stay.
        for text in ["[qosorch.cpp](x) and `qos_config.j2`", "myqosorch.cpp", "PR 1", "portsorchestra", ""] {
            check(text, text);
        }
    }
}
