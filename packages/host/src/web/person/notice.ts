/** A page outside a session, in the dress of the inbox: to sign in, when something is refused, when something went wrong. Pure. */
import { type Html, html, pageHeaders } from '@midcall/core/page';
import { noticePage } from '../pages/index.ts';
import type { PersonAssetPaths } from '../routes/index.ts';
import { personTexts } from '../texts/index.ts';

/** What such a page says. */
export interface PersonNotice {
  readonly title: string;
  /** One paragraph each. */
  readonly lines: readonly string[];
  /**
   * One button. Without `hidden` it is a link, and with it a form, which is posted. What redirects to another origin must be a link:
   * the pages' policy says `form-action 'self'`, and a browser applies that to the redirect that answers a form as well.
   */
  readonly action?: {
    readonly path: string;
    readonly label: string;
    readonly hidden?: Readonly<Record<string, string>>;
  };
  /** 200 if absent. */
  readonly status?: number;
  /**
   * `find-session`: leads a browser that has been here before to its session, if that has one, and to `/questions/<id>` there if the
   * address has `?question=<id>`, or to `/passkeys` if it has `?passkeys`. On a page below the path of the session, the browser forgets it: the session is over.
   */
  readonly script?: 'find-session';
  /**
   * A path of this origin that the page leads to at once, also without client script. A cookie with `SameSite=Strict` is sent there,
   * although somebody has come here from another site.
   */
  readonly leadsTo?: string;
}

const button = ({ path, label, hidden }: NonNullable<PersonNotice['action']>): Html =>
  hidden
    ? html`<form method="post" action="${path}">${Object.entries(hidden).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
      )}<button class="button primary">${label}</button></form>`
    : html`<p><a class="button primary" href="${path}">${label}</a></p>`;

/** The headers of every response. */
export const personHeaders = pageHeaders(
  "script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; manifest-src 'self'; worker-src 'self'",
);

export function personNotice(what: PersonNotice, assets: PersonAssetPaths): Response {
  const { title, lines, action, status = 200, script, leadsTo } = what;
  const text = noticePage(title, lines, assets, {
    place: personTexts.place,
    app: { manifest: assets.manifest, touchIcon: assets.picture },
    ...(action && { action: button(action) }),
    ...(script && { modules: [assets.findScript] }),
    ...(leadsTo !== undefined && { leadsTo }),
  });
  return new Response(text, { status, headers: { ...personHeaders, 'content-type': 'text/html; charset=utf-8' } });
}
