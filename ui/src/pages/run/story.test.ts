import { describe, expect, it } from 'vitest';
import type { Progress, Run } from '../../api/runs';
import { asCommand, asCurl, bar, buttons, figures, howAgain, leastFull, rates, seconds, shellWord } from './story';

function run(part: Partial<Run>): Run {
  return {
    id: 1, project: 'shop', state: 'running', reason: null, started_at: '2026-01-01T00:00:00Z', ended_at: null,
    settings: {}, progress: null, summary: null, eta_seconds: null, eta_basis: null, health: null, ...part,
  };
}

function progress(part: Partial<Progress>): Progress {
  return {
    pages: 0, pages_now: 0, done: 0, known: 0, limit: null, bytes: 0, bytes_now: 0, rows: 0, errors: 0, hosts_ready: 0,
    hosts_resting: 0, slots_busy: 0, slots: 0, requests_now: 0, running: 0, ...part,
  };
}

describe('the bar', () => {
  it('is done of known, or of the limit where that is nearer', () => {
    expect(bar(run({ progress: progress({ done: 25, known: 100 }) }))).toEqual({ done: 25, of: 100, share: 0.25, limited: false });
    expect(bar(run({ progress: progress({ done: 30, pages: 25, known: 1000, limit: 50 }) }))).toEqual({ done: 25, of: 50, share: 0.5, limited: true });
    expect(bar(run({ progress: progress({ done: 3, known: 4, limit: 50 }) })).limited).toBe(false);
  });

  it('is empty at the beginning and full at the end', () => {
    expect(bar(run({})).share).toBe(0);
    expect(bar(run({ progress: progress({}) })).share).toBe(0);
    expect(bar(run({ state: 'completed' })).share).toBe(1);
  });
});

describe('buttons', () => {
  it('fit the state', () => {
    expect(buttons('running')).toEqual({ pause: true, resume: false, stop: true, cancel: true, again: false });
    expect(buttons('paused')).toEqual({ pause: false, resume: true, stop: true, cancel: true, again: false });
    expect(buttons('stopping').stop).toBe(false);
    expect(buttons('completed')).toEqual({ pause: false, resume: false, stop: false, cancel: false, again: true });
  });
});

describe('crawling again', () => {
  it('goes on with what waits, else asks for the pages anew', () => {
    expect(howAgain(run({ state: 'completed', summary: { waiting: 0 } as never }))).toEqual({ refresh: true });
    expect(howAgain(run({ state: 'completed', summary: { waiting: 3 } as never }))).toEqual({});
    for (const state of ['stopped', 'cancelled', 'failed'] as const) expect(howAgain(run({ state }))).toEqual({});
    expect(howAgain(null)).toEqual({});
  });
});

describe('figures', () => {
  it('come from progress while it runs', () => {
    expect(figures(run({ progress: progress({ pages: 7, rows: 9, errors: 2 }) }))).toEqual({
      pages: 7, rows: 9, added: null, changed: null, failed: 2, skipped: 0,
    });
  });

  it('count what was failed and skipped from the outcomes', () => {
    const six = figures(run({ progress: progress({}) }), { fetched: 3, failed: 2, 'off-site': 4, trap: 1 });
    expect([six.failed, six.skipped]).toEqual([2, 5]);
  });

  it('are zero when the run was cancelled: nothing of it is kept', () => {
    const gone = run({ state: 'cancelled', summary: { pages_fetched: 9, rows: 4, outcomes: { failed: 2 } } as never });
    expect(Object.values(figures(gone, { failed: 3 })).every((value) => value === 0)).toBe(true);
  });

  it('have a short form for a run that was over at once', () => {
    const quick = run({ state: 'completed', ended_at: '2026-01-01T00:00:02Z', summary: { pages_fetched: 10, rows: 4 } as never });
    expect(rates(quick, 0)).toEqual({ pages: 5, rows: 2, seconds: 2 });
    expect(rates({ ...quick, summary: null }, 0)).toBeNull();
  });

  it('know the field that is found least often', () => {
    expect(leastFull([{ page_type: 'list', pages: 1, rows: 10, found: { title: 10, price: 9 } }])).toEqual({ field: 'price', share: 0.9 });
    expect(leastFull([{ page_type: 'list', pages: 1, rows: 0, found: {} }])).toBeNull();
  });

  it('count time to the end, or to now', () => {
    expect(seconds(run({ ended_at: '2026-01-01T00:01:00Z' }), 0)).toBe(60);
    expect(seconds(run({}), Date.parse('2026-01-01T00:00:05Z'))).toBe(5);
  });
});

describe('commands', () => {
  it('hold whatever the project is called', () => {
    expect(shellWord("it's")).toBe(`'it'\\''s'`);
    expect(asCommand('shop')).toBe('gannet crawl -p shop.yaml');
    expect(asCurl('a b', 'http://127.0.0.1:7777')).toContain('/projects/a%20b/runs');
  });

  it('let the shell put the token in', () => {
    expect(asCurl('shop', 'http://127.0.0.1:7777')).toContain('-H "Authorization: Bearer $GANNET_TOKEN"');
  });
});
