// Where what may be done about a project's trouble is done.

import type { Attention } from '../../api/projects';
import type { HealthAction, Run } from '../../api/runs';

/** The page for an action; null if there is nothing to do. */
export function placeOf(project: string, last: Run | null, action: HealthAction): string | null {
  if (action.kind === 'fields') return `/projects/${encodeURIComponent(project)}/fields`;
  if (!last || action.kind === 'none') return null;
  if (action.kind === 'robots') return `/runs/${last.id}?tab=pages&outcome=disallowed`;
  if (action.kind === 'show') return `/runs/${last.id}?tab=pages&outcome=${encodeURIComponent(action.outcome ?? '')}`;
  return `/runs/${last.id}`;
}

/** What a person should look at: not what mends itself by waiting, nor what the card of a run under way says already. */
export function needed(project: string, attention: Attention[], running: Run[]): Attention[] {
  const told = running.filter((run) => run.project === project).map((run) => run.health?.sentence);
  return attention.filter((one) => one.level !== 'info' && one.action?.kind !== 'slow' && !told.includes(one.text));
}
