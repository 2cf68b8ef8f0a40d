/** How the person likes the desk, told by its pages. */
import type { Hono } from 'hono';
import { first } from '../form/draft.ts';
import { type Desk, posted } from './context.ts';

export function preferenceRoutes(app: Hono, { workspace }: Desk): void {
  app.post('/preferences/fold', context => {
    const draft = posted(context);
    const server = first(draft, 'server') ?? '';
    if (workspace.servers.get(server)) workspace.preferences.fold(server, first(draft, 'folded') === 'true');
    return context.body(null, 204);
  });
}
