//! Mending: after a failed write the run pauses, opens store and archive again, and goes on from the last commit.
//!
//! What was fetched since that commit is fetched again; what was committed stays. The frontier is wary after it, as
//! after any unclean stop: each host gets its full pause.

use std::time::Duration;

use archive::ArchiveWriter;
use archive::tables::POSITIONS;
use frontier::Frontier;
use kv::{KvError, Reader};

use crate::CrawlError;
use crate::conductor::{Conductor, State};
use crate::visit::{Message, Pace};
use crate::waiting::wait_for;

/// Mendings in a row, without a commit in between, of a run that is to end or whose disk is not full.
const MOST: u32 = 4;

/// The first wait before store and archive are opened again; doubled up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// How long visits that were given up may take to end, look-ups of names among them.
const LET_GO: Duration = Duration::from_secs(120);

impl Conductor {
    /// Waits until store and archive can be written again and opens them; fails when that is not to be hoped for.
    pub(crate) fn mend(&mut self, state: &mut State, error: CrawlError) -> Result<(), CrawlError> {
        if !error.can_be_mended() {
            return Err(error);
        }
        tracing::warn!(error = error.sentence(), "a write failed, run pauses");
        state.mendings += 1;
        state.for_want_of_room |= error.is_no_space() || self.space.is_full();
        state.failed_write = Some(error.cause());
        self.let_go(state)?;
        self.space.release();
        let mut error = error;
        let mut wait = FIRST_WAIT;
        loop {
            let wish = *self.wish.borrow_and_update();
            self.note_ending(state, wish);
            let will_pass = state.for_want_of_room && state.ending.is_none();
            if state.mendings > MOST && !will_pass {
                return Err(error);
            }
            let short = self.space.look(&self.store, self.clock.now()).is_some();
            self.publish(state, true);
            if !short || state.ending.is_some() {
                match self.open_again() {
                    Ok(()) => break,
                    // Whoever reads gets time to end; nothing was tried.
                    Err(CrawlError::Store(KvError::BeingRead { .. })) => {}
                    Err(again) if again.can_be_mended() => {
                        state.mendings += 1;
                        state.for_want_of_room |= again.is_no_space();
                        error = again;
                    }
                    Err(again) => return Err(again),
                }
            }
            self.wait_for_wish(wait);
            wait = (wait * 2).min(LONGEST_WAIT);
        }
        tracing::info!("store and archive are open again, run goes on");
        state.failed_write = None;
        state.begin_again(self.store.batch());
        Ok(())
    }

    /// Ends all visits and drops what they bring, so that no lease of the lost frontier is alive.
    fn let_go(&mut self, state: &mut State) -> Result<(), CrawlError> {
        self.set_pace(Pace::GiveUp);
        let began = self.clock.now();
        for lease in state.leases.values_mut() {
            let is_read = |message: &Message| matches!(message, Message::Read(_));
            lease.early.drain(..).filter(|(_, message)| is_read(message)).for_each(|(_, message)| {
                message.is_about().into_iter().for_each(|(lease, _)| self.slots.unread.settled(lease));
            });
        }
        loop {
            state.leases.retain(|id, lease| !lease.slot_done || self.slots.unread.has(*id));
            if state.leases.is_empty() && state.lookups == 0 {
                return Ok(());
            }
            if self.clock.now().since(began) > LET_GO {
                return Err(CrawlError::Lost("a visit"));
            }
            self.publish(state, false);
            match wait_for(self.inbox.recv(), FIRST_WAIT, self.clock.process()).flatten() {
                Some(Message::Read(read)) => self.slots.unread.settled(read.lease),
                Some(Message::Released(lease, slot)) => {
                    state.free_slots.push(slot);
                    if let Some(live) = state.leases.get_mut(&lease) {
                        live.slot_done = true;
                    }
                }
                Some(Message::Resolved(..)) => state.lookups -= 1,
                Some(Message::Settled(..) | Message::Robots(..) | Message::Hints(..)) | None => {}
            }
        }
    }

    fn open_again(&mut self) -> Result<(), CrawlError> {
        self.store.reopen()?;
        let committed = self.store.get(&POSITIONS, &self.id.0)?.unwrap_or_default().position;
        if let Some(archive) = self.archive.take() {
            archive.give_up(committed);
        }
        self.fresh.lose(committed);
        let (dir, settings) = &self.archive_at;
        let opened = ArchiveWriter::open(dir, committed, settings.clone())?;
        if let Some(damage) = opened.findings.iter().find(|finding| finding.is_damage()) {
            return Err(CrawlError::ArchiveDamaged(damage.to_string()));
        }
        self.archive = Some(opened.writer);
        self.frontier.abandon();
        let mut frontier =
            Frontier::open_beside(self.store.clone(), &self.neighbours.frontiers, self.clock.now())?;
        frontier.begin(self.id, &self.project)?;
        self.frontier = frontier;
        self.robots.forget();
        self.hints.forget();
        Ok(())
    }

    fn wait_for_wish(&mut self, wait: Duration) {
        let wish = &mut self.wish;
        let told = async {
            if wish.changed().await.is_err() {
                // Nobody can wish any more.
                std::future::pending::<()>().await;
            }
        };
        wait_for(told, wait, self.clock.process());
    }
}
