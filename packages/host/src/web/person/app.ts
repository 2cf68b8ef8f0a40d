/**
 * The pages of persons' inboxes as a web application. Whose they are is said with each request, by whoever has checked the session.
 *
 * - person-P1 A page shows questions of its visitor alone: an id is looked up among theirs, and nowhere else.
 * - person-P2 A change needs the token of the visitor's session. The caller has checked the session, and where the request comes from.
 * - person-P3 A reply is checked here before it is handed on, so that its writer learns at once what is wrong with it; whether it
 *   ends the question is decided by the process that asks.
 * - person-P4 Nothing that is typed is stored before it is sent.
 * - person-P5 No reply to a question that needs a passkey is handed on unless one has confirmed exactly this reply: neither a yes nor a
 *   no. It can be closed without, where nobody else is asked.
 */
import { isSameSecret } from '@midcall/core/node';
import { page as written } from '@midcall/core/page';
import type { Clock } from '@midcall/core/time';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { checkReply, type Question, type Receipt, type Reply } from '../../index.ts';
import { issuesOf, postedAction, postedAnswer } from '../card/index.ts';
import { contentOf, type Draft, draftOf, first, isZone, visitedIssues } from '../form/index.ts';
import { openingPage } from '../pages/index.ts';
import type { Assets, PersonAssetPaths } from '../routes/index.ts';
import { keptTexts, personTexts } from '../texts/index.ts';
import { Live } from '../workspace/index.ts';
import type { PasskeyState } from './approval.ts';
import { type PersonNotice, personHeaders, personNotice } from './notice.ts';
import { deviceName, type NotificationsShown, notificationsPage, notificationsPath } from './notifications.ts';
import {
  answerPath,
  type Listed,
  openPage,
  type PersonContent,
  type PersonView,
  pageSize,
  pastPage,
  personLayout,
  type QuestionPageOptions,
  questionPage,
  signOutPage,
} from './pages.ts';
import type { PersonPasskeys } from './passkeys.ts';
import { type PasskeysShown, passkeysPage } from './passkeys-page.ts';
import type { EndedQuestion, OpenQuestion, Present } from './questions.ts';
import type { Visitor } from './visitor.ts';

/** What the pages work with. */
export interface PersonParts {
  readonly assets: Assets<PersonAssetPaths>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

interface Env {
  readonly Bindings: { readonly visitor: Visitor };
}

/** The pages, and what ends their event streams. */
export interface PersonApp {
  readonly app: Hono<Env>;
  close(): void;
}

const own = personTexts.passkeys;

/** The largest answer, in bytes. */
const largestBody = 4 * 1024 * 1024;

/** Set by the script of these pages (`client/person.ts`), since only the browser knows where the person is. */
const zoneCookie = /(?:^|;\s*)midcall-zone=([^;]+)/;

/** The part of a list that an address asks for; the last one if the list has become shorter. */
async function part<Q>(
  asked: string | undefined,
  read: (from: number, limit: number) => Promise<{ readonly questions: readonly Q[]; readonly count: number }>,
): Promise<Listed<Q>> {
  const from = Math.min(Math.max(0, Math.floor(Number(asked) || 0)), Number.MAX_SAFE_INTEGER);
  const found = await read(from, pageSize);
  if (found.questions.length > 0 || from === 0) return { ...found, from };
  const last = Math.max(0, Math.floor((found.count - 1) / pageSize) * pageSize);
  return { ...(await read(last, pageSize)), from: last };
}

export function personApp({ assets, clock, onError }: PersonParts): PersonApp {
  const lives = new Set<Live>();
  const { paths } = assets;
  const app = new Hono<Env>({
    getPath: (request, options) => {
      const { base } = options!.env!.visitor;
      return new URL(request.url).pathname.slice(base.length) || '/';
    },
  });
  const visitorOf = ({ env }: Context<Env>): Visitor => env.visitor;
  const linkOf =
    (context: Context<Env>) =>
    (path: string): string =>
      `${visitorOf(context).base}${path}`;
  const notice = (context: Context<Env>, what: PersonNotice): Response =>
    personNotice({ action: { path: linkOf(context)('/'), label: personTexts.back }, ...what }, paths);

  const zoneOf = ({ req }: Context<Env>): string | undefined => {
    const told = zoneCookie.exec(req.header('cookie') ?? '')?.[1];
    try {
      const zone = told && decodeURIComponent(told);
      return zone && isZone(zone) ? zone : undefined;
    } catch {
      return undefined;
    }
  };

  /** @param count - how many questions are open */
  const viewOf = (context: Context<Env>, count: number): PersonView => {
    const { csrf, name, passkeys, notifications } = visitorOf(context);
    const zone = zoneOf(context);
    return {
      ...{ csrf, name, count, link: linkOf(context), now: clock.now() },
      zone: zone ?? 'UTC',
      isZoneTold: zone !== undefined,
      hasPasskeys: passkeys !== undefined,
      hasNotifications: notifications !== undefined,
    };
  };

  const show = (context: Context<Env>, view: PersonView, content: PersonContent, status: 200 | 202 | 409 | 422 = 200) =>
    context.html(written(personLayout(view, content, paths)), status);

  /** The page of a question, with where to go on. */
  const showQuestion = async (
    context: Context<Env>,
    shown: OpenQuestion | EndedQuestion,
    options: Omit<QuestionPageOptions, 'next'> = {},
    status?: 200 | 202 | 409 | 422,
  ): Promise<Response> => {
    const { questions, count } = await visitorOf(context).questions.open(0, 2);
    const next = questions.find(({ question, sent }) => question.id !== shown.question.id && !sent)?.question;
    const passkey = 'ending' in shown ? undefined : await passkeyFor(context, shown);
    return show(
      context,
      viewOf(context, count),
      questionPage(shown, viewOf(context, count), { ...options, next, passkey }),
      status,
    );
  };

  /** Whether the person can answer a question that needs a passkey; undefined for one that needs none. */
  const passkeyFor = async (
    context: Context<Env>,
    { question, approval }: OpenQuestion,
  ): Promise<PasskeyState | undefined> => {
    if (approval?.assurance !== 'present') return undefined;
    const { passkeys } = visitorOf(context);
    if (!passkeys?.isPossible) return { can: 'nothing', origin: passkeys?.origin ?? new URL(context.req.url).origin };
    if ((await passkeys.list()).length > 0) return { can: 'confirm' };
    return { can: 'add', addPath: linkOf(context)(`/passkeys?${new URLSearchParams({ question: question.id })}`) };
  };

  const missing = (context: Context<Env>, line?: string): Response =>
    notice(context, { ...personTexts.missing, ...(line !== undefined && { lines: [line] }), status: 404 });

  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(personHeaders))
      if (!context.res.headers.has(name)) context.header(name, value);
  });
  app.use(
    bodyLimit({
      maxSize: largestBody,
      onError: context => notice(context as Context<Env>, { ...personTexts.tooLarge, status: 413 }),
    }),
  );
  app.post('*', async (context, next) => {
    const draft = draftOf(new URLSearchParams(await context.req.text()));
    if (!isSameSecret(first(draft, 'csrf') ?? '', visitorOf(context).csrf))
      return notice(context, { ...personTexts.refused, status: 403 });
    context.set('posted', draft);
    return next();
  });

  app.get('/', async context => {
    const { questions } = visitorOf(context);
    const listed = await part(context.req.query('from'), (from, limit) => questions.open(from, limit));
    const view = viewOf(context, listed.count);
    return show(context, view, openPage(listed, view));
  });

  app.get('/past', async context => {
    const { questions } = visitorOf(context);
    const [listed, { count }] = await Promise.all([
      part(context.req.query('from'), (from, limit) => questions.ended(from, limit)),
      questions.open(0, 1),
    ]);
    const view = viewOf(context, count);
    return show(context, view, pastPage(listed, view));
  });

  app.get('/questions/:question', async context => {
    const shown = await visitorOf(context).questions.get(context.req.param('question'));
    return shown ? showQuestion(context, shown) : missing(context, personTexts.question.missing);
  });

  /** The reply that a card posted, with what is wrong with it. */
  const readReply = (question: Question, draft: Draft) => {
    const action = postedAction(question, draft);
    if (action !== 'accept' || question.kind === 'roots') return { reply: { action } as Reply, issues: [] };
    return postedAnswer(question, draft);
  };

  /** Why an answer was not sent. Somebody who sends one once more, as the first was not seen to arrive, learns that it did. */
  const tooLate = ({ ending, question }: EndedQuestion): string => {
    const how = personTexts.ending.sentence(ending, question.kind);
    const isOwn = 'via' in ending && ending.via === 'inbox';
    return isOwn ? keptTexts.answeredBefore(how) : personTexts.question.alreadyEnded(how);
  };

  const ended = async (
    context: Context<Env>,
    question: Question,
    draft: Draft,
    ending: Extract<Receipt, { problem: 'ended' }>['ending'],
  ): Promise<Response> => {
    const now = await visitorOf(context).questions.get(question.id);
    const shown = now && 'ending' in now ? now : { question, ending, endedAt: clock.now() };
    return showQuestion(context, shown, { returned: { draft, issues: [] }, notice: tooLate(shown) }, 409);
  };

  /** Reads the reply that a card posted. @returns a page instead, if there is none to hand on */
  const posted = async (
    context: Context<Env>,
  ): Promise<Response | { readonly shown: OpenQuestion; readonly reply: Reply; readonly draft: Draft }> => {
    const shown = await visitorOf(context).questions.get(context.req.param('question')!);
    if (!shown) return missing(context, personTexts.question.missing);
    const { question } = shown;
    const draft = context.get('posted');
    if ('ending' in shown) {
      return showQuestion(context, shown, { returned: { draft, issues: [] }, notice: tooLate(shown) }, 409);
    }
    if (postedAction(question, draft) === 'review' && question.kind === 'form') {
      const issues = issuesOf(question, contentOf(question.fields, draft));
      return showQuestion(context, shown, { returned: { draft, issues } });
    }
    const { reply, issues } = readReply(question, draft);
    if (issues.length > 0) return showQuestion(context, shown, { returned: { draft, issues } }, 422);
    const checked = checkReply(question, reply);
    if (!checked.ok) return showQuestion(context, shown, { returned: { draft, issues: checked.issues } }, 422);
    return { shown, reply, draft };
  };

  /** True if a passkey has to confirm a reply (person-P5). */
  const needsPasskey = ({ approval }: OpenQuestion, { action }: Reply): boolean =>
    approval?.assurance === 'present' && (action !== 'dismiss' || approval.group !== undefined);

  /** What the script of a card does before it sends the same once more. */
  app.post('/questions/:question/passkey', async context => {
    const read = await posted(context);
    if (read instanceof Response) return read;
    const { shown, reply, draft } = read;
    if (!needsPasskey(shown, reply)) return context.json({});
    const request = (await visitorOf(context).passkeys?.requestAnswer(shown, reply)) ?? 'impossible';
    if (typeof request !== 'string') return context.json(request);
    return showQuestion(context, shown, { returned: { draft, issues: [] }, notice: own.problem[request] }, 422);
  });

  app.post('/questions/:question', async context => {
    const { questions, passkeys } = visitorOf(context);
    const read = await posted(context);
    if (read instanceof Response) return read;
    const { shown, reply, draft } = read;
    const { question } = shown;
    let proof: Present | undefined;
    if (needsPasskey(shown, reply)) {
      const confirmed = first(draft, 'passkey');
      const proved =
        passkeys && confirmed ? await passkeys.proveAnswer(shown, reply, confirmed) : ('unconfirmed' as const);
      if (typeof proved === 'string') {
        const notice = proved === 'unconfirmed' ? own.unconfirmed : own.problem[proved];
        return showQuestion(context, shown, { returned: { draft, issues: [] }, notice }, 422);
      }
      proof = proved;
    }
    const receipt = await questions.reply(question.id, reply, proof);
    if (receipt !== 'sent' && !receipt.ok) {
      if (receipt.problem === 'unknown') return missing(context, personTexts.question.missing);
      if (receipt.problem === 'ended') return ended(context, question, draft, receipt.ending);
      return showQuestion(context, shown, { returned: { draft, issues: receipt.issues } }, 422);
    }
    // The person has agreed, whatever becomes of that.
    if (reply.action === 'accept' && question.kind === 'url') {
      context.header('referrer-policy', 'no-referrer');
      return context.html(openingPage(question.url.href, paths));
    }
    if (receipt === 'sent') return showQuestion(context, { ...shown, sent: true }, {}, 202);
    return context.redirect(`${linkOf(context)(answerPath(question))}#q-${question.id}-end`, 303);
  });

  app.post('/questions/:question/check', async context => {
    const shown = await visitorOf(context).questions.get(context.req.param('question'));
    if (!shown || 'ending' in shown || shown.question.kind !== 'form')
      return missing(context, personTexts.question.missing);
    const { question } = shown;
    const draft = context.get('posted');
    const issues = visitedIssues(question.fields, draft, issuesOf(question, contentOf(question.fields, draft)));
    return showQuestion(context, shown, { returned: { draft, issues } });
  });

  /** The page of passkeys. @param said - why nothing was changed, and what was typed */
  const showPasskeys = async (
    context: Context<Env>,
    passkeys: PersonPasskeys,
    said: Pick<PasskeysShown, 'question' | 'problem' | 'name'>,
  ): Promise<Response> => {
    const [list, { count }] = await Promise.all([passkeys.list(), visitorOf(context).questions.open(0, 1)]);
    const view = viewOf(context, count);
    return show(context, view, passkeysPage({ passkeys, list, ...said }, view), said.problem ? 422 : 200);
  };

  /** Back to where the person came from. */
  const afterPasskeys = (context: Context<Env>, question: string | undefined): Response =>
    context.redirect(
      linkOf(context)(question === undefined ? '/passkeys' : `/questions/${encodeURIComponent(question)}`),
      303,
    );

  /** What was posted on the page of passkeys. */
  const fieldsOf = (context: Context<Env>) => {
    const draft = context.get('posted');
    const text = (name: string): string | undefined => first(draft, name) || undefined;
    return { question: text('question'), name: text('name'), invitation: text('invitation'), posted: text('passkey') };
  };

  app.get('/passkeys', async context => {
    const { passkeys } = visitorOf(context);
    return passkeys ? showPasskeys(context, passkeys, { question: context.req.query('question') }) : missing(context);
  });

  app.post('/passkeys/passkey', async context => {
    const { passkeys } = visitorOf(context);
    if (!passkeys) return missing(context);
    const { question, name, invitation, posted } = fieldsOf(context);
    const request = await passkeys.requestNew({ invitation, posted });
    return typeof request === 'string'
      ? showPasskeys(context, passkeys, { question, name, problem: request })
      : context.json(request);
  });

  app.post('/passkeys', async context => {
    const { passkeys } = visitorOf(context);
    if (!passkeys) return missing(context);
    const { question, name, posted } = fieldsOf(context);
    const added = await passkeys.add(name ?? '', posted ?? '');
    if (added !== 'added') return showPasskeys(context, passkeys, { question, name, problem: added });
    return afterPasskeys(context, question);
  });

  app.post('/passkeys/:passkey/remove/passkey', async context => {
    const { passkeys } = visitorOf(context);
    if (!passkeys) return missing(context);
    const request = await passkeys.requestRevoke(context.req.param('passkey'));
    return typeof request === 'string'
      ? showPasskeys(context, passkeys, { question: fieldsOf(context).question, problem: request })
      : context.json(request ?? {});
  });

  app.post('/passkeys/:passkey/remove', async context => {
    const { passkeys } = visitorOf(context);
    if (!passkeys) return missing(context);
    const { question, posted } = fieldsOf(context);
    const revoked = await passkeys.revoke(context.req.param('passkey'), posted);
    if (revoked !== 'revoked') return showPasskeys(context, passkeys, { question, problem: revoked });
    const back = question === undefined ? '' : `?${new URLSearchParams({ question })}`;
    return context.redirect(linkOf(context)(`/passkeys${back}`), 303);
  });

  app.get('/sign-out', async context => {
    const { count } = await visitorOf(context).questions.open(0, 1);
    const view = viewOf(context, count);
    return show(context, view, signOutPage(view));
  });

  app.post('/sign-out', async context => {
    const { notifications, signOut } = visitorOf(context);
    const device = first(context.get('posted'), 'device');
    if (device !== undefined) await notifications?.turnOff(device);
    return signOut(first(context.get('posted'), 'everywhere') === 'true');
  });

  const showNotifications = async (
    context: Context<Env>,
    notice?: NotificationsShown['notice'],
    status?: 200 | 422,
  ): Promise<Response> => {
    const { questions, notifications } = visitorOf(context);
    if (!notifications) return missing(context);
    const [publicKey, devices, { count }] = await Promise.all([
      notifications.publicKey(),
      notifications.devices(),
      questions.open(0, 1),
    ]);
    const view = viewOf(context, count);
    return show(context, view, notificationsPage({ publicKey, devices, notice }, view), status);
  };

  app.get(notificationsPath, context => showNotifications(context));

  app.post(notificationsPath, async context => {
    const { notifications } = visitorOf(context);
    if (!notifications) return missing(context);
    const posted = context.get('posted');
    const own = personTexts.notifications;
    const [does, device = ''] = [first(posted, 'does'), first(posted, 'device')];
    if (does === 'on') {
      const name = deviceName(context.req.header('user-agent') ?? '');
      const why = await notifications.turnOn(first(posted, 'subscription') ?? '', name);
      if (why !== undefined) return showNotifications(context, { text: own.notTurnedOn(why), isBad: true }, 422);
      return showNotifications(context, { text: own.turnedOn, isBad: false });
    }
    if (does === 'off') {
      await notifications.turnOff(device);
      return showNotifications(context, { text: own.turnedOff, isBad: false });
    }
    const why = await notifications.test(device);
    const notice = why === undefined ? { text: own.tested, isBad: false } : { text: own.notTested(why), isBad: true };
    return showNotifications(context, notice);
  });

  app.get('/events', context => {
    const live = new Live(clock);
    lives.add(live);
    const stop = visitorOf(context).questions.subscribe(() => live.changed());
    const stream = live.stream(0, undefined, () => {
      stop();
      lives.delete(live);
    });
    // What has changed since the page was made is not known here, so it looks once.
    live.changed();
    context.header('content-type', 'text/event-stream');
    // A proxy in front would hold events back to send more at a time.
    context.header('x-accel-buffering', 'no');
    return context.body(stream);
  });

  app.notFound(context => missing(context));
  app.onError((error, context) => {
    onError(error);
    const { title, looked, sent, toQuestion } = personTexts.broken;
    if (context.req.method === 'GET') return notice(context, { title, lines: [looked], status: 500 });
    const question = /^\/questions\/[^/]+/.exec(context.req.path)?.[0];
    const action = question !== undefined && { action: { path: linkOf(context)(question), label: toQuestion } };
    return notice(context, { title, lines: [sent], ...action, status: 500 });
  });
  return {
    app,
    close: () => {
      for (const live of [...lives]) live.close();
    },
  };
}
