use crate::config::attach::{Attachment, Division, PortInterface};
use crate::engine::time::Time;
use crate::host::attach::service::{Crossing, Hop, Load, Work};

/// A command by both bridges, its descriptor there and back, and on to the drive.
const MOST_HOPS: usize = 12;

#[derive(Clone, Copy, Debug)]
pub struct Route {
    hops: [Hop; MOST_HOPS],
    len: u8,
    lands: u8,
    waits: bool,
}

impl Route {
    fn over(hops: &[(Crossing, Load)]) -> Route {
        let none = Hop { crossing: Crossing::North, load: Load::Data };
        let mut route = Route { hops: [none; MOST_HOPS], len: hops.len() as u8, lands: hops.len() as u8, waits: false };
        for (place, (crossing, load)) in route.hops.iter_mut().zip(hops) {
            *place = Hop { crossing: *crossing, load: *load };
        }
        route
    }

    fn data(crossings: &[Crossing]) -> Route {
        Route::loaded(crossings, Load::Data)
    }

    fn loaded(crossings: &[Crossing], load: Load) -> Route {
        let hops: Vec<_> = crossings.iter().map(|crossing| (*crossing, load)).collect();
        Route::over(&hops)
    }

    pub fn hops(&self) -> &[Hop] {
        &self.hops[..usize::from(self.len)]
    }

    /// A DMA engine waits for the answer to each chunk's request.
    pub fn waits(&self) -> bool {
        self.waits
    }

    pub fn lands_after(&self, hops: usize) -> bool {
        hops == usize::from(self.lands)
    }

    fn after(self, first: Crossing) -> Route {
        let hops: Vec<_> = self.hops().iter().map(|hop| (hop.crossing, hop.load)).collect();
        Route { waits: self.waits, ..Route::over(&[&[(first, Load::Data)], hops.as_slice()].concat()) }
    }

    fn before(self, last: Crossing) -> Route {
        let hops: Vec<_> = self.hops().iter().map(|hop| (hop.crossing, hop.load)).collect();
        let route = Route::over(&[hops.as_slice(), &[(last, Load::Data)]].concat());
        Route { lands: self.len, waits: self.waits, ..route }
    }

    pub fn out_of_drive(self, work: Work, port: u8) -> Route {
        self.after(Crossing::Inside(work, port))
    }

    pub fn into_drive(self, port: u8) -> Route {
        self.before(Crossing::Inside(Work::Write, port))
    }

    pub fn from_processor(self, time: Time) -> Route {
        self.after(Crossing::Processor(time))
    }

    pub fn to_processor(self, time: Time) -> Route {
        self.before(Crossing::Processor(time))
    }
}

/// Over the bridges and over the direct path, in whole chunks.
pub fn divide(attachment: &Attachment, to_drive: bool, bytes: u64) -> (u64, u64) {
    if !attachment.kind.is_dual() {
        return (bytes, 0);
    }
    let share = match attachment.direct.division {
        Division::Split => attachment.direct.share,
        Division::ByDirection => f64::from(u8::from(to_drive)),
    };
    let chunk = attachment.dma.chunk.0;
    let direct = ((bytes as f64 * share / chunk as f64).round() as u64 * chunk).min(bytes);
    (bytes - direct, direct)
}

#[derive(Clone, Copy, Debug)]
pub struct Routes {
    south: bool,
    dram: bool,
}

impl Routes {
    pub fn new(attachment: &Attachment) -> Routes {
        Routes { south: attachment.kind.is_south(), dram: attachment.port() == PortInterface::Ddr2 }
    }

    fn port(self, writes: bool) -> Crossing {
        match (self.dram, writes) {
            (false, _) => Crossing::Ata,
            (true, false) => Crossing::PortRead,
            (true, true) => Crossing::PortWrite,
        }
    }

    fn to_engine(self) -> &'static [Crossing] {
        if self.south { &[Crossing::North, Crossing::Down, Crossing::South] } else { &[Crossing::North] }
    }

    fn fetch(self, answer: Load) -> Vec<(Crossing, Load)> {
        let memory = (Crossing::MemoryRead, answer);
        if !self.south {
            return vec![(Crossing::North, Load::Request), memory];
        }
        let ask = [Crossing::South, Crossing::Up, Crossing::North].map(|crossing| (crossing, Load::Request));
        let back = [Crossing::North, Crossing::Down, Crossing::South].map(|crossing| (crossing, answer));
        [ask.as_slice(), &[memory], &back].concat()
    }

    pub fn to_drive(self) -> Route {
        let route = Route::over(&[self.fetch(Load::Data), vec![(self.port(true), Load::Data)]].concat());
        Route { waits: true, ..route }
    }

    pub fn to_memory(self) -> Route {
        if self.south {
            return Route::data(&[
                Crossing::Ata,
                Crossing::South,
                Crossing::Up,
                Crossing::North,
                Crossing::MemoryWrite,
            ]);
        }
        Route::data(&[self.port(false), Crossing::North, Crossing::MemoryWrite])
    }

    pub fn doorbell(self, bytes: u32) -> Route {
        Route::loaded(&[self.to_engine(), &[self.port(true)]].concat(), Load::Message(bytes))
    }

    pub fn ask(self, bytes: u32) -> Route {
        Route::loaded(&[self.port(false)], Load::Message(bytes))
    }

    pub fn command(self, tell: u32, descriptor: u32, command: u32) -> Route {
        let told: Vec<_> = self.to_engine().iter().map(|crossing| (*crossing, Load::Message(tell))).collect();
        let fetched = self.fetch(Load::Message(descriptor));
        Route::over(&[told, fetched, vec![(self.port(true), Load::Message(command))]].concat())
    }

    /// On a DRAM interface the engine has moved the data itself.
    pub fn interrupt(self, status: u32, interrupt: u32) -> Route {
        let status = (Crossing::Ata, Load::Message(status));
        let up = [Crossing::South, Crossing::Up, Crossing::North].map(|crossing| (crossing, Load::Message(interrupt)));
        match (self.south, self.dram) {
            (true, _) => Route::over(&[[status].as_slice(), &up].concat()),
            (false, false) => Route::over(&[status, up[2]]),
            (false, true) => Route::over(&[up[2]]),
        }
    }

    pub fn direct(self, to_drive: bool) -> Route {
        Route::data(&[if to_drive { Crossing::DirectRead } else { Crossing::DirectWrite }])
    }

    /// From the south bridge to main memory.
    pub fn download(self) -> Route {
        Route::data(&[Crossing::Network, Crossing::South, Crossing::Up, Crossing::North, Crossing::MemoryWrite])
    }
}
