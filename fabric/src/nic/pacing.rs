//! Rate limiting of a flow: packet by packet, or in bursts at line rate with longer gaps between them.
//!
//! Gen1 NICs (Bai et al., NSDI 2023, section 7.2) limit the rate of bursts, so that fewer queue pairs are active at a
//! time and compete for the NIC's cache; Gen2 and Gen3 limit the rate of single packets. The average rate is the same.

use model::Time;

/// The rate limiter of one flow.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pacer {
    /// Bytes of a burst; if they fit into one packet, every packet is paced.
    burst_bytes: u64,
    /// When the present burst began, its bytes so far, and how long those take at the flow's rate.
    began: Time,
    sent_bytes: u64,
    takes: Time,
    next_at: Time,
}

impl Pacer {
    /// A limiter of bursts of `burst_bytes`.
    pub fn new(burst_bytes: u64) -> Pacer {
        Pacer { burst_bytes, ..Pacer::default() }
    }

    /// The earliest time of the next packet.
    pub fn next_at(&self) -> Time {
        self.next_at
    }

    /// The flow starts.
    pub fn start(&mut self, now: Time) {
        *self = Pacer { next_at: now, ..Pacer::new(self.burst_bytes) };
    }

    /// Accounts for a packet that was sent and takes `gap` at the flow's rate.
    pub fn sent(&mut self, now: Time, bytes: u64, gap: Time) {
        if self.sent_bytes == 0 {
            self.began = now;
        }
        self.sent_bytes += bytes;
        self.takes = Time(self.takes.0.saturating_add(gap.0));
        self.next_at = now;
        if self.sent_bytes >= self.burst_bytes {
            self.next_at = Time(self.began.0.saturating_add(self.takes.0));
            (self.sent_bytes, self.takes) = (0, Time::ZERO);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times at which ten packets of 1000 B leave when each takes 100 ns on the wire and 400 ns at the flow's rate.
    fn times(burst_bytes: u64) -> Vec<u64> {
        let (mut pacer, mut wire) = (Pacer::new(burst_bytes), Time::ZERO);
        let mut times = Vec::new();
        for _ in 0..10 {
            let now = wire.max(pacer.next_at());
            times.push(now.as_ns());
            pacer.sent(now, 1000, Time::from_ns(400));
            wire = now + Time::from_ns(100);
        }
        times
    }

    #[test]
    fn bursts_are_sent_at_line_rate_with_the_average_rate_of_paced_packets() {
        assert_eq!(times(0), [0, 400, 800, 1200, 1600, 2000, 2400, 2800, 3200, 3600]);
        assert_eq!(times(4000), [0, 100, 200, 300, 1600, 1700, 1800, 1900, 3200, 3300]);
    }
}
