/** Shows and changes roots, policy and the audit log. */
import { isMidcallError } from '@midcall/core/errors';
import type { Context, Hono } from 'hono';
import { activeGrants, type ConsentStorage, type Decision, revokeGrant } from '../../index.ts';
import { type Draft, first } from '../form/index.ts';
import { auditPage, type GrantsView, policyPage, rootsPage } from '../pages/index.ts';
import { texts } from '../texts/index.ts';
import { durationOf } from '../workspace/index.ts';
import { backTo, type Desk, offerFolder, posted, redirect, show } from './context.ts';

export function settingRoutes(app: Hono, desk: Desk): void {
  const { workspace, guard, zone } = desk;
  const { roots, policy, audit } = workspace;

  const showRoots = (context: Context, wrong?: { readonly message: string; readonly value: string }) => {
    const offered = roots.list();
    const proposed = offered.some(root => root.path === desk.proposedRoot) ? '' : (desk.proposedRoot ?? '');
    const form = wrong ?? { value: proposed };
    return show(context, desk, rootsPage(offered, workspace.servers.list(), guard, form), wrong ? 422 : 200);
  };

  app.get('/roots', context => showRoots(context));

  app.post('/roots', async context => {
    const draft = posted(context);
    const value = (first(draft, 'path') ?? '').trim();
    const name = (first(draft, 'name') ?? '').trim();
    try {
      await offerFolder(workspace, value, name);
    } catch (error) {
      if (!isMidcallError(error)) throw error;
      return showRoots(context, { message: error.message, value });
    }
    return redirect(context, desk, '/roots');
  });

  app.post('/roots/remove', async context => {
    const uri = first(posted(context), 'uri') ?? '';
    if (await roots.remove(uri)) audit.record({ type: 'roots', what: `withdrawn ${uri}` });
    return redirect(context, desk, '/roots');
  });

  app.post('/roots/grant', async context => {
    const draft = posted(context);
    const server = first(draft, 'server') ?? '';
    if (workspace.servers.get(server)) {
      // One may have been withdrawn since the page was rendered.
      const offered = new Set(roots.list().map(root => root.uri));
      const uris = (draft.get('uri') ?? []).filter(uri => offered.has(uri));
      await roots.grant(server, uris);
      audit.record({ type: 'roots', what: `${server} may use ${uris.length === 0 ? 'none' : uris.join(', ')}` });
    }
    return redirect(context, desk, '/roots');
  });

  const showPolicy = (context: Context, returned?: { readonly wrong?: string; readonly draft?: Draft }) => {
    const { consent, servers, decisions, clock } = workspace;
    const search = context.req.query('q') ?? '';
    const grants = consent && grantsView(consent, clock.now(), search);
    return show(
      context,
      desk,
      policyPage(policy.decisions(), servers.list(), guard, zone, decisions.keeps, grants, returned),
      returned?.wrong === undefined ? 200 : 422,
    );
  };

  app.get('/policy', context => showPolicy(context));

  app.post('/policy', async context => {
    const draft = posted(context);
    const { subjects, effects } = texts.policy;
    const server = first(draft, 'server') ?? '';
    const subject = first(draft, 'subject') ?? '';
    const effect = first(draft, 'effect') ?? '';
    if (!Object.hasOwn(subjects, subject) || !Object.hasOwn(effects, effect) || server === '')
      return showPolicy(context);
    try {
      await workspace.decisions.make({
        server,
        subject: subject as Decision['subject'],
        effect: effect as Decision['effect'],
        ...durationOf(first(draft, 'for')),
      });
    } catch (error) {
      if (!isMidcallError(error)) throw error;
      return showPolicy(context, { wrong: error.message, draft });
    }
    return redirect(context, desk, '/policy');
  });

  app.post('/policy/revoke', async context => {
    const draft = posted(context);
    try {
      await workspace.decisions.revoke(first(draft, 'id') ?? '');
    } catch (error) {
      if (!isMidcallError(error)) throw error;
      return showPolicy(context, { wrong: error.message });
    }
    return redirect(context, desk, backTo(draft, '/policy'));
  });

  app.post('/policy/grants/revoke', async context => {
    const id = first(posted(context), 'id') ?? '';
    try {
      if (workspace.consent && (await revokeGrant(workspace.consent, id)))
        audit.record({ type: 'policy', what: `revoked grant ${id}` });
    } catch {
      return showPolicy(context, { wrong: texts.policy.grants.notSaved });
    }
    return redirect(context, desk, '/policy');
  });

  app.get('/audit', context => {
    const search = context.req.query('q') ?? '';
    const content = auditPage(audit.entries({ search }), search, audit.verify(), audit.unwritten, guard, zone);
    return show(context, desk, content);
  });

  app.get('/audit.jsonl', context => {
    context.header('content-type', 'application/jsonl; charset=utf-8');
    return context.body(audit.export());
  });
}

/** The grants that a page shows; none if they cannot be read, which is said. */
function grantsView(consent: ConsentStorage, now: number, search: string): GrantsView {
  try {
    return { search, listed: activeGrants(consent, { now, search }) };
  } catch (error) {
    if (!isMidcallError(error)) throw error;
    return { search, listed: [], problem: error.message };
  }
}
