import { expect, it } from 'vitest';
import type { Attention } from '../../api/projects';
import type { Run } from '../../api/runs';
import { needed, placeOf } from './actions';

const run = (project: string, sentence: string) => ({ id: 7, project, health: { sentence } }) as Run;
const note = (text: string, kind = 'show', level = 'warn') => ({ level, text, action: { kind, label: 'Do it' } }) as Attention;

it('a person is asked for what does not mend itself and is told nowhere else', () => {
  const all = [note('No run yet.', 'none', 'info'), note('Site answers 429; it rests longer each time.', 'slow'), note('Half of the tries failed.'), note('Field price is empty.', 'fields')];
  const texts = (running: Run[]) => needed('shop', all, running).map((one) => one.text);
  expect(texts([])).toEqual(['Half of the tries failed.', 'Field price is empty.']);
  expect(texts([run('shop', 'Half of the tries failed.')])).toEqual(['Field price is empty.']);
  expect(texts([run('other', 'Half of the tries failed.')])).toHaveLength(2);
});

it('each action has its place', () => {
  const place = (kind: string, last: Run | null = run('a b', '')) => placeOf('a b', last, { kind, label: '', outcome: 'failed' } as never);
  expect(place('fields', null)).toBe('/projects/a%20b/fields');
  expect(place('show')).toBe('/runs/7?tab=pages&outcome=failed');
  expect(place('exclude')).toBe('/runs/7');
  expect(place('show', null)).toBeNull();
  expect(place('none')).toBeNull();
});
