//! Zones: writes in order through the write buffer, row by row to flash; resets and finishes.

use super::Route;
use crate::cache::Destage;
use crate::engine::time::Time;
use crate::fabric::Fabric;
use crate::ftl::zones::{Job, Step, Zones};
use crate::host::request::{Kind, RequestId, Status};
use crate::measure::probe::Probe;

impl<F: Fabric, P: Probe> Route<F, P> {
    #[cold]
    pub(super) fn begin_zone_command(&mut self, id: RequestId, now: Time) {
        let request = &self.requests[id];
        let (kind, lba) = (request.kind, request.lba);
        if kind == Kind::Compute {
            return self.begin_task(id, now);
        }
        if kind == Kind::Update {
            let updated = self.ftl.update_handle(request);
            return match updated {
                Ok(()) => self.finish(id, now),
                Err(status) => self.refuse(id, status, now),
            };
        }
        let Some(zones) = self.ftl.zones_of(lba) else {
            return self.refuse(id, Status::InvalidField, now);
        };
        let begun = match kind {
            _ if zones.waits(lba, id) => return,
            Kind::Append => return self.begin_zoned_write(id, now),
            Kind::Reset => zones.begin_job(lba, id, Job::Reset(None)),
            Kind::Finish => zones.begin_job(lba, id, Job::Finish),
            Kind::Open => zones.states.open(lba).map(|()| false),
            _ => zones.states.close(lba).map(|()| false),
        };
        match begun {
            Err(status) => self.refuse(id, status, now),
            Ok(false) => {
                self.tell_admitted(id);
                self.finish(id, now);
            }
            Ok(true) => {
                self.tell_admitted(id);
                self.requests[id].outstanding = 1;
                self.ftl.zone_changed();
                self.offer_paths(now);
            }
        }
    }

    /// Completes a request with a status that says why it was not begun.
    #[cold]
    pub(super) fn refuse(&mut self, id: RequestId, status: Status, now: Time) {
        self.requests[id].status = status;
        self.tell_admitted(id);
        self.ftl.zones().into_iter().for_each(|zones: &mut Zones| zones.refuse(status));
        self.finish(id, now);
    }

    #[inline(never)]
    pub(super) fn admit_read(&mut self, id: RequestId, now: Time) -> bool {
        let request = &self.requests[id];
        let (lba, sectors) = (request.lba, u64::from(request.sectors));
        if request.outstanding > 0 {
            return true;
        }
        let admitted = self.ftl.zones().map_or(Ok(()), |zones| zones.states.read(lba, sectors));
        match admitted {
            Ok(()) => self.tell_admitted(id),
            Err(status) => self.refuse(id, status, now),
        }
        admitted.is_ok()
    }

    fn tell_admitted(&mut self, id: RequestId) {
        let request = &self.requests[id];
        self.pages.probe.notify(|observer| observer.zone_command(id, request));
    }

    /// An append gets its address now.
    #[inline(never)]
    pub(super) fn begin_zoned_write(&mut self, id: RequestId, now: Time) {
        let request = &self.requests[id];
        let (kind, lba, sectors) = (request.kind, request.lba, u64::from(request.sectors));
        let Some(zones) = self.ftl.zones() else { return };
        let admitted = match kind {
            Kind::Write if zones.waits(lba, id) => return,
            Kind::Append => zones.states.append(lba, sectors),
            _ => zones.states.write(lba, sectors).map(|()| lba),
        };
        match admitted {
            Err(status) => self.refuse(id, status, now),
            Ok(lba) => {
                zones.admitted(lba);
                zones.counts.appends += u64::from(kind == Kind::Append);
                self.requests[id].lba = lba;
                self.tell_admitted(id);
                self.buffer_write(id, now);
            }
        }
    }

    #[inline(never)]
    pub(super) fn zone_pages_taken(&mut self, id: RequestId, all: bool, now: Time) {
        let request = &self.requests[id];
        let (lba, cached) = (request.lba, u64::from(request.held));
        let per_page = u64::from(self.layout.sectors_per_page);
        let end = if all { lba + u64::from(request.sectors) } else { (lba / per_page + cached) * per_page };
        let Some(zones) = self.ftl.zones() else { return };
        let (zone, rows) = zones.taken(lba, end.max(lba), all);
        for row in rows {
            self.send_row(zone, row, now);
        }
        // A job of the zone may have waited for this. The writes behind this one are served first.
        if all {
            self.ftl.zone_changed();
        }
    }

    fn send_row(&mut self, zone: u32, row: u32, now: Time) {
        let row = self.ftl.zones().map(|zones| (zones.pages_of_row(zone, row), zones.pages_together()));
        let Some((pages, together)) = row else { return };
        self.ftl.gather_row(together);
        for lpa in pages {
            let buffered = self.cache.as_mut().and_then(|cache| cache.next_with(lpa));
            let destage = buffered.unwrap_or(Destage::of(lpa, 0, 0));
            if destage.sectors != 0 {
                self.pages.probe.notify(|observer| observer.page_destages(now, lpa, destage.sectors));
            }
            self.ftl.send_zone_page(&mut self.pages, &destage, now);
        }
        self.ftl.send_gathered(&mut self.pages.transactions);
        self.carry_out(now);
    }

    pub(super) fn go_on_with_zones(&mut self, now: Time) {
        let Some(zones) = self.ftl.zones() else { return };
        zones.has_changed = true;
        // Writes that have waited come here again.
        if std::mem::replace(&mut zones.is_looking, true) {
            return;
        }
        while self.ftl.zones().is_some_and(|zones| std::mem::take(&mut zones.has_changed)) {
            self.look_after_jobs(now);
            while let Some((id, job)) = self.ftl.zones().and_then(Zones::next_waiting) {
                self.requests.charge(&mut self.pages, id, job.cause(), now);
                match self.requests[id].kind {
                    Kind::Write => self.begin_zoned_write(id, now),
                    _ => self.begin_zone_command(id, now),
                }
            }
        }
        self.ftl.zones().into_iter().for_each(|zones| zones.is_looking = false);
    }

    fn look_after_jobs(&mut self, now: Time) {
        let mut number = 0;
        while let Some(zones) = self.ftl.zones().filter(|zones| number < zones.jobs()) {
            match zones.next_step(number) {
                Step::Wait => number += 1,
                Step::Program { zone, row } => self.send_row(zone, row, now),
                Step::Erase { blocks, request, buffered } => {
                    buffered.for_each(|lpa| self.trim_cached(request, lpa, now));
                    self.ftl.erase_zone(&mut self.pages, &blocks, now);
                    self.carry_out(now);
                    self.room_after_trim(now);
                }
                Step::Done(RequestId::NONE, _) => {}
                Step::Done(request, job) => {
                    self.requests.charge(&mut self.pages, request, job.cause(), now);
                    self.finish(request, now);
                }
            }
        }
    }
}
