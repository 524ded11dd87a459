//! Completes what a sender left to the offloads of its interface.
//!
//! On a veth pair nothing completes it: the peer receives TCP segments larger than its MTU and without checksum, and
//! the kernel describes them in a header in front of the frame (`PACKET_VNET_HDR`). The layout of the header is that of
//! `struct virtio_net_hdr` (Virtual I/O Device specification 1.2, section 5.1.6); what segmentation changes in each
//! header follows `Documentation/networking/segmentation-offloads.rst` of the kernel.

/// Bytes of the header in front of each frame.
pub const HEADER_BYTES: usize = 10;

const NEEDS_CHECKSUM: u8 = 1;
const GSO_NONE: u8 = 0;
const GSO_TCPV4: u8 = 1;
const GSO_TCPV6: u8 = 4;
const GSO_UDP: u8 = 5;
/// Bit of the GSO type: the TCP segment carries CWR, which only the first segment may keep.
const GSO_ECN: u8 = 0x80;

const FIN: u8 = 0x01;
const PSH: u8 = 0x08;
const CWR: u8 = 0x80;
/// Largest number of VLAN tags of a frame that is segmented.
const MAX_TAGS: usize = 2;

/// What the kernel describes about a frame, in the byte order of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offload {
    flags: u8,
    gso_type: u8,
    /// Payload bytes of each segment.
    gso_size: u16,
    /// First byte that the checksum covers.
    checksum_start: u16,
    /// Where the checksum is, from there.
    checksum_offset: u16,
}

/// A frame that cannot be completed: its headers are not those that the kernel describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl Offload {
    /// Reads the header in front of a frame.
    pub fn from_bytes(bytes: [u8; HEADER_BYTES]) -> Offload {
        let [flags, gso_type, _, _, s0, s1, c0, c1, o0, o1] = bytes;
        Offload {
            flags,
            gso_type: gso_type & !GSO_ECN,
            gso_size: u16::from_ne_bytes([s0, s1]),
            checksum_start: u16::from_ne_bytes([c0, c1]),
            checksum_offset: u16::from_ne_bytes([o0, o1]),
        }
    }

    /// Whether the frame is complete as it is.
    pub fn is_complete(&self) -> bool {
        self.flags & NEEDS_CHECKSUM == 0 && self.gso_type == GSO_NONE
    }

    /// Completes a frame and passes it, or the frames into which it is segmented, to `each`.
    ///
    /// # Errors
    /// If the frame is not what the header describes; no or not all frames have been passed.
    pub fn complete(&self, frame: &mut [u8], mut each: impl FnMut(&[u8])) -> Result<(), Malformed> {
        if self.gso_type != GSO_NONE {
            return self.segment(frame, each);
        }
        if self.flags & NEEDS_CHECKSUM != 0 {
            self.set_checksum(frame)?;
        }
        each(frame);
        Ok(())
    }

    /// Sets the checksum of an unsegmented frame. The field holds the sum of the pseudo header.
    fn set_checksum(&self, frame: &mut [u8]) -> Result<(), Malformed> {
        let start = usize::from(self.checksum_start);
        let covered = frame.get_mut(start..).ok_or(Malformed)?;
        let checksum = nonzero(fold(sum(covered)));
        let at = usize::from(self.checksum_offset);
        covered.get_mut(at..at + 2).ok_or(Malformed)?.copy_from_slice(&checksum.to_be_bytes());
        Ok(())
    }

    fn segment(&self, frame: &[u8], mut each: impl FnMut(&[u8])) -> Result<(), Malformed> {
        let headers = Headers::of(frame, self.gso_type)?;
        let size = usize::from(self.gso_size);
        let (head, payload) = frame.split_at_checked(headers.payload_at).ok_or(Malformed)?;
        if size == 0 || payload.is_empty() {
            return Err(Malformed);
        }
        let count = payload.len().div_ceil(size);
        let mut segment = Vec::with_capacity(head.len() + size);
        for (index, chunk) in payload.chunks(size).enumerate() {
            segment.clear();
            segment.extend_from_slice(head);
            segment.extend_from_slice(chunk);
            headers.finish(&mut segment, index, index * size, index + 1 == count)?;
            each(&segment);
        }
        Ok(())
    }
}

/// Where the headers of a frame to be segmented are.
struct Headers {
    /// First byte of the IP header.
    ip_at: usize,
    v6: bool,
    /// First byte of the TCP or UDP header.
    transport_at: usize,
    udp: bool,
    payload_at: usize,
}

impl Headers {
    fn of(frame: &[u8], gso_type: u8) -> Result<Headers, Malformed> {
        let ethertype_at = |at: usize| frame.get(at..at + 2).map(|b| u16::from_be_bytes([b[0], b[1]]));
        let mut type_at = 12;
        for _ in 0..MAX_TAGS {
            if matches!(ethertype_at(type_at), Some(0x8100 | 0x88a8)) {
                type_at += 4;
            }
        }
        let ip_at = type_at + 2;
        let byte = |at: usize| frame.get(at).copied().ok_or(Malformed);
        let v6 = match ethertype_at(type_at) {
            Some(model::wire::ETHERTYPE_IPV4) => false,
            Some(model::wire::ETHERTYPE_IPV6) => true,
            _ => return Err(Malformed),
        };
        // Extension headers of IPv6 are not supported: the next header must be TCP or UDP itself.
        let (ip_bytes, protocol) =
            if v6 { (40, byte(ip_at + 6)?) } else { (usize::from(byte(ip_at)? & 0xf) * 4, byte(ip_at + 9)?) };
        let transport_at = ip_at + ip_bytes;
        let udp = match (gso_type, protocol) {
            (GSO_TCPV4, 6) if !v6 => false,
            (GSO_TCPV6, 6) if v6 => false,
            (GSO_UDP, 17) => true,
            _ => return Err(Malformed),
        };
        let transport_bytes = if udp { 8 } else { usize::from(byte(transport_at + 12)? >> 4) * 4 };
        if ip_bytes < 20 || transport_bytes < if udp { 8 } else { 20 } {
            return Err(Malformed);
        }
        let payload_at = transport_at + transport_bytes;
        if payload_at > frame.len() {
            return Err(Malformed);
        }
        Ok(Headers { ip_at, v6, transport_at, udp, payload_at })
    }

    /// Sets lengths, sequence numbers, flags and checksums of one segment.
    fn finish(&self, segment: &mut [u8], index: usize, offset: usize, last: bool) -> Result<(), Malformed> {
        let ip_bytes = u16::try_from(segment.len() - self.ip_at).map_err(|_| Malformed)?;
        let transport_bytes = u16::try_from(segment.len() - self.transport_at).map_err(|_| Malformed)?;
        let ip = &mut segment[self.ip_at..];
        if self.v6 {
            put(ip, 4, transport_bytes);
        } else {
            put(ip, 2, ip_bytes);
            let id = u16::from_be_bytes([ip[4], ip[5]]);
            put(ip, 4, id.wrapping_add(index as u16));
            put(ip, 10, 0);
            let checksum = fold(sum(&ip[..self.transport_at - self.ip_at]));
            put(ip, 10, checksum);
        }
        let addresses =
            if self.v6 { self.ip_at + 8..self.ip_at + 40 } else { self.ip_at + 12..self.ip_at + 20 };
        let protocol = if self.udp { 17 } else { 6 };
        let pseudo = sum(&segment[addresses]) + protocol + u64::from(transport_bytes);
        let transport = &mut segment[self.transport_at..];
        let checksum_at = if self.udp { 6 } else { 16 };
        if self.udp {
            put(transport, 4, transport_bytes);
        } else {
            let sequence = u32::from_be_bytes([transport[4], transport[5], transport[6], transport[7]]);
            transport[4..8].copy_from_slice(&sequence.wrapping_add(offset as u32).to_be_bytes());
            if !last {
                transport[13] &= !(FIN | PSH);
            }
            if index > 0 {
                transport[13] &= !CWR;
            }
        }
        put(transport, checksum_at, 0);
        let checksum = nonzero(fold(pseudo + sum(transport)));
        put(transport, checksum_at, checksum);
        Ok(())
    }
}

fn put(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

/// Returns the sum of the 16-bit words; an odd byte counts as the high one of a word (RFC 1071).
fn sum(bytes: &[u8]) -> u64 {
    let words = bytes.chunks_exact(2);
    let odd = words.remainder().first().map_or(0, |byte| u64::from(*byte) << 8);
    words.map(|word| u64::from(u16::from_be_bytes([word[0], word[1]]))).sum::<u64>() + odd
}

/// Returns the complement of a sum, folded to 16 bits.
fn fold(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// A checksum of 0 would mean "none" in UDP; 0xffff is equal to it in ones' complement.
fn nonzero(checksum: u16) -> u16 {
    if checksum == 0 { 0xffff } else { checksum }
}

#[cfg(test)]
mod tests;
