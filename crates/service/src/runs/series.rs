//! A run's figures over time: one point a second at first; when there are too many, two become one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use frontier::tables::Histogram;
use model::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Moment, ServiceError};

/// Points kept at most; merged by twos beyond that.
const MOST: usize = 600;

/// A run's figures, as asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Series {
    /// Seconds of one point.
    pub step_seconds: u64,
    /// When the first point begins; none when there is none.
    #[schema(value_type = Option<String>)]
    pub from: Option<Moment>,
    /// One number a point in each.
    pub points: Points,
}

/// One number a point in each list. Times are in milliseconds, `queue` is what waited at the point's end; the rest are
/// counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Points {
    /// Pages kept.
    pub pages: Vec<u64>,
    /// Rows read.
    pub rows: Vec<u64>,
    /// Tries that failed.
    pub errors: Vec<u64>,
    /// Half of the answers took no longer; none where there was none.
    pub latency_p50: Vec<Option<u64>>,
    /// 95 of 100 took no longer.
    pub latency_p95: Vec<Option<u64>>,
    /// Answers by class of status.
    pub s2xx: Vec<u64>,
    /// Redirects.
    pub s3xx: Vec<u64>,
    /// Refusals.
    pub s4xx: Vec<u64>,
    /// The server's own failures.
    pub s5xx: Vec<u64>,
    /// Tries without an answer.
    pub failed: Vec<u64>,
    /// URLs that waited.
    pub queue: Vec<u64>,
}

/// The figures of one run as they are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recorder {
    /// Seconds of one point.
    step: u64,
    /// The second, since 1970, at which the first point begins; a multiple of the step.
    from: u64,
    points: Vec<Point>,
}

/// What happened within one step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Point {
    pub(crate) pages: u64,
    pub(crate) rows: u64,
    pub(crate) errors: u64,
    /// By class of status, 2xx to 5xx.
    pub(crate) classes: [u64; 4],
    pub(crate) failed: u64,
    pub(crate) queue: Option<u64>,
    pub(crate) latency: Histogram,
}

impl Default for Recorder {
    fn default() -> Recorder {
        Recorder { step: 1, from: 0, points: Vec::new() }
    }
}

impl Recorder {
    /// What was kept of a run; nothing when that cannot be read, as figures are no reason to stop a run.
    pub(crate) fn load(file: &Path) -> Recorder {
        let kept = fs::read(file).ok().and_then(|bytes| serde_json::from_slice::<Recorder>(&bytes).ok());
        kept.filter(|kept| kept.step > 0 && kept.points.len() <= MOST).unwrap_or_default()
    }

    /// Keeps them: whole, or as they were before.
    pub(crate) fn save(&self, file: &Path) -> Result<(), ServiceError> {
        let part = file.with_extension("new");
        let bytes = serde_json::to_vec(self).expect("figures have only text keys");
        fs::write(&part, bytes).map_err(ServiceError::io("write", &part))?;
        fs::rename(&part, file).map_err(ServiceError::io("rename", &part))
    }

    /// The point that `now` falls into.
    pub(crate) fn at(&mut self, now: Timestamp) -> &mut Point {
        let second = now.0 / 1_000;
        if self.points.is_empty() {
            self.from = second - second % self.step;
        }
        // A clock that was set back writes on where it was.
        while second.saturating_sub(self.from) / self.step >= MOST as u64 {
            self.halve();
        }
        let at = usize::try_from(second.saturating_sub(self.from) / self.step).unwrap_or(0);
        if at >= self.points.len() {
            self.points.resize_with(at + 1, Point::default);
        }
        &mut self.points[at]
    }

    /// The figures from `from` on, in steps of at least so many seconds.
    pub(crate) fn series(&self, from: Option<Timestamp>, step: Option<u64>) -> Series {
        let mut kept = self.clone();
        while kept.step < step.unwrap_or(1).min(1 << 40) && !kept.points.is_empty() {
            kept.halve();
        }
        let first = from.map_or(0, |from| (from.0 / 1_000).saturating_sub(kept.from) / kept.step);
        let skip = usize::try_from(first).unwrap_or(usize::MAX).min(kept.points.len());
        let begin = Timestamp((kept.from + skip as u64 * kept.step) * 1_000);
        let points = &kept.points[skip..];
        let each = |figure: fn(&Point) -> u64| points.iter().map(figure).collect::<Vec<_>>();
        let latency = |share: f64| {
            points
                .iter()
                .map(|point| (point.latency.count > 0).then(|| point.latency.percentile(share)))
                .collect()
        };
        let mut queue = 0;
        Series {
            step_seconds: kept.step,
            from: (!points.is_empty()).then_some(Moment(begin)),
            points: Points {
                pages: each(|point| point.pages),
                rows: each(|point| point.rows),
                errors: each(|point| point.errors),
                latency_p50: latency(0.5),
                latency_p95: latency(0.95),
                s2xx: each(|point| point.classes[0]),
                s3xx: each(|point| point.classes[1]),
                s4xx: each(|point| point.classes[2]),
                s5xx: each(|point| point.classes[3]),
                failed: each(|point| point.failed),
                queue: points
                    .iter()
                    .map(|point| {
                        queue = point.queue.unwrap_or(queue);
                        queue
                    })
                    .collect(),
            },
        }
    }

    fn halve(&mut self) {
        let step = self.step * 2;
        let shift = usize::from(!self.from.is_multiple_of(step));
        self.from -= self.from % step;
        self.step = step;
        let mut merged: Vec<Point> = Vec::with_capacity(self.points.len() / 2 + 1);
        for (at, point) in std::mem::take(&mut self.points).into_iter().enumerate() {
            if (at + shift).is_multiple_of(2) || merged.is_empty() {
                merged.push(point);
            } else if let Some(last) = merged.last_mut() {
                last.take(point);
            }
        }
        self.points = merged;
    }
}

impl Point {
    fn take(&mut self, later: Point) {
        self.pages += later.pages;
        self.rows += later.rows;
        self.errors += later.errors;
        self.classes.iter_mut().zip(later.classes).for_each(|(class, later)| *class += later);
        self.failed += later.failed;
        self.queue = later.queue.or(self.queue);
        self.latency.count += later.latency.count;
        self.latency.sum += later.latency.sum;
        self.latency.max = self.latency.max.max(later.latency.max);
        let buckets: &mut BTreeMap<u16, u64> = &mut self.latency.buckets;
        later
            .latency
            .buckets
            .into_iter()
            .for_each(|(bucket, count)| *buckets.entry(bucket).or_default() += count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(second: u64) -> Timestamp {
        Timestamp(second * 1_000 + 7)
    }

    #[test]
    fn many_seconds_become_few_points_and_nothing_is_lost() {
        let mut recorder = Recorder::default();
        for at in 1_001..=4_000 {
            let point = recorder.at(second(at));
            point.pages += 1;
            point.queue = Some(at);
            point.latency.add(20);
        }
        let series = recorder.series(None, None);
        assert_eq!((series.step_seconds, series.points.pages.len() <= MOST), (8, true));
        assert_eq!(series.points.pages.iter().sum::<u64>(), 3_000);
        assert_eq!(series.points.queue.last(), Some(&4_000));
        assert!(series.points.latency_p50.iter().all(|latency| *latency == Some(20)));
        let late = recorder.series(Some(second(3_900)), None);
        assert_eq!(late.from, Some(Moment(Timestamp(3_896_000))));
        let coarse = recorder.series(None, Some(60));
        assert_eq!((coarse.step_seconds, coarse.points.pages.iter().sum::<u64>()), (64, 3_000));
    }

    #[test]
    fn what_is_kept_goes_on_after_a_pause_of_a_week() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("series.json");
        let mut recorder = Recorder::load(&file);
        recorder.at(second(50)).rows = 3;
        recorder.save(&file).unwrap();
        let mut again = Recorder::load(&file);
        assert_eq!(again, recorder);
        again.at(second(50 + 7 * 86_400)).rows = 4;
        let rows = again.series(None, None).points.rows;
        assert_eq!((rows.first(), rows.last(), rows.len() <= MOST), (Some(&3), Some(&4), true));
        fs::write(&file, "{").unwrap();
        assert_eq!(Recorder::load(&file), Recorder::default());
    }
}
