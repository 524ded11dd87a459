//! The read call with undecoded responses.

use crate::proto::p4::v1::ReadRequest;
use bytes::{Buf, Bytes};
use prost::Message;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder, Streaming};
use tonic::transport::Channel;
use tonic::{Request, Status};

const READ: &str = "/p4.v1.P4Runtime/Read";

/// Sends a read request.
pub(super) async fn read(
    channel: Channel,
    request: Request<ReadRequest>,
    limit: usize,
) -> Result<Streaming<Bytes>, Status> {
    let mut grpc = tonic::client::Grpc::new(channel).max_decoding_message_size(limit);
    grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    let path = tonic::codegen::http::uri::PathAndQuery::from_static(READ);
    Ok(grpc.server_streaming(request, path, RawCodec).await?.into_inner())
}

struct RawCodec;

impl Codec for RawCodec {
    type Encode = ReadRequest;
    type Decode = Bytes;
    type Encoder = RequestEncoder;
    type Decoder = BytesDecoder;

    fn encoder(&mut self) -> RequestEncoder {
        RequestEncoder
    }

    fn decoder(&mut self) -> BytesDecoder {
        BytesDecoder
    }
}

struct RequestEncoder;

impl Encoder for RequestEncoder {
    type Item = ReadRequest;
    type Error = Status;

    fn encode(&mut self, item: ReadRequest, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        item.encode(into).map_err(|error| Status::internal(error.to_string()))
    }
}

struct BytesDecoder;

impl Decoder for BytesDecoder {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}
