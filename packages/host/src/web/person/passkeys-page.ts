/** The page on which a person adds and removes passkeys. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { minute, visibleHtml } from '../html/index.ts';
import { table } from '../pages/index.ts';
import { personTexts } from '../texts/index.ts';
import { passkeyNote } from './approval.ts';
import type { PersonContent, PersonView } from './pages.ts';
import type { PasskeyProblem, PersonPasskeys, ShownPasskey } from './passkeys.ts';

/** What the page shows. */
export interface PasskeysShown {
  readonly passkeys: Pick<PersonPasskeys, 'isPossible' | 'isFresh' | 'needsInvitation' | 'origin' | 'signInPath'>;
  readonly list: readonly ShownPasskey[];
  /** The question from which the person came, and to which they go back. */
  readonly question?: string | undefined;
  /** Why the last request changed nothing. */
  readonly problem?: PasskeyProblem | undefined;
  /** The name that was typed. */
  readonly name?: string | undefined;
}

const own = personTexts.passkeys;

const questionField = (question: string | undefined): Html | false =>
  question !== undefined && html`<input type="hidden" name="question" value="${question}">`;

function passkeyRow(each: ShownPasskey, { question }: PasskeysShown, { csrf, link, now, zone }: PersonView): Html {
  const { id, name, addedAt, usedAt } = each;
  const path = link(`/passkeys/${encodeURIComponent(id)}`);
  return html`<tr><td>${visibleHtml(name, 80)}</td><td data-head="${own.heads[1]}">${minute(addedAt, now, zone)}</td><td data-head="${own.heads[2]}">${usedAt === undefined ? html`<span class="quiet-text">${own.never}</span>` : minute(usedAt, now, zone)}</td><td class="row-action"><form method="post" action="${path}/remove" data-passkey="${path}/remove/passkey" novalidate><input type="hidden" name="csrf" value="${csrf}">${questionField(question)}<button class="button small" aria-label="${own.removeNamed(name)}">${own.remove}</button>${passkeyNote()}</form></td></tr>`;
}

const signInAgain = ({ passkeys, question }: PasskeysShown, why: string): Html =>
  html`<p class="help">${why}</p><p><a class="button" href="${passkeys.signInPath(question)}">${own.signInAgain}</a></p>`;

/** How to come to another passkey. */
function adding(shown: PasskeysShown, { csrf, link }: PersonView): Html {
  const { passkeys, list, question, name } = shown;
  const { isFresh, needsInvitation } = passkeys;
  const canConfirm = list.length > 0;
  const canAdd = canConfirm || (isFresh && !needsInvitation);
  const isConfirmed = canConfirm && (needsInvitation || !isFresh);
  const why = needsInvitation ? html`<p>${own.uninvited}</p>` : signInAgain(shown, own.stale);
  // An invitation is known to client script alone, which shows the form if there is one.
  return html`<section class="panel add-passkey"><h2>${own.addTitle}</h2>${!canAdd && html`<div data-uninvited>${why}</div>`}<p data-invited hidden>${own.invited}</p><form${attributes({ method: 'post', action: link('/passkeys'), id: 'add-passkey', autocomplete: 'off', novalidate: true, 'data-passkey': link('/passkeys/passkey'), ...(!canAdd && { hidden: true, 'data-invited': true }) })}><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="invitation" value="">${questionField(question)}<div class="field"><label for="passkey-name">${own.name}</label><input${attributes({ id: 'passkey-name', name: 'name', maxlength: 60, value: name, 'aria-describedby': 'passkey-name-help' })}><p class="help" id="passkey-name-help">${own.nameHelp}</p></div>${isConfirmed && html`<p class="help" data-uninvited>${own.confirms}</p>`}<div class="actions"><button class="button primary">${own.add}</button></div>${passkeyNote()}<noscript><p class="no-script">${own.noScript}</p></noscript></form></section>`;
}

/** All passkeys of the person, and how to add one. */
export function passkeysPage(shown: PasskeysShown, view: PersonView): PersonContent {
  const { passkeys, list, question, problem } = shown;
  const { isPossible, isFresh, needsInvitation, origin } = passkeys;
  const rows = list.map(each => passkeyRow(each, shown, view));
  const back =
    question !== undefined &&
    html`<p><a href="${view.link(`/questions/${encodeURIComponent(question)}`)}">${own.backTo}</a></p>`;
  const staleToo = needsInvitation ? own.staleInvited : own.staleToo;
  return {
    title: own.title,
    at: '/passkeys',
    main: html`<div class="head"><h1>${own.title}</h1></div><p class="lead">${own.lead}</p>${back}${problem && html`<div class="notice bad" role="alert" tabindex="-1" id="passkey-problem" data-stays><span>${own.problem[problem]}</span></div>`}<section class="passkeys">${table(own.title, own.heads, rows, own.none)}${list.length > 0 && html`<p class="help">${own.removeHelp}</p>`}</section>${
      isPossible
        ? adding(shown, view)
        : html`<div class="notice"><span>${visibleHtml(own.impossible(origin), 400)}</span></div>`
    }${isPossible && list.length > 0 && !isFresh && html`<div class="stale">${signInAgain(shown, staleToo)}</div>`}`,
  };
}
