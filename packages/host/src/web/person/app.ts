/**
 * The pages of persons' inboxes as a web application. Whose they are is said with each request, by whoever has checked the session.
 *
 * - person-P1 A page shows questions of its visitor alone: an id is looked up among theirs, and nowhere else.
 * - person-P2 A change needs the token of the visitor's session. The caller has checked the session, and where the request comes from.
 * - person-P3 A reply is checked here before it is handed on, so that its writer learns at once what is wrong with it; whether it
 *   ends the question is decided by the process that asks.
 * - person-P4 Nothing that is typed is stored before it is sent.
 */
import { page as written } from '@midcall/core/page';
import type { Clock } from '@midcall/core/time';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { checkReply, type Question, type Receipt, type Reply } from '../../index.ts';
import { issuesOf, postedAction, postedAnswer } from '../card/index.ts';
import { contentOf, type Draft, draftOf, first, isZone, visitedIssues } from '../form/index.ts';
import { openingPage } from '../pages/index.ts';
import { type Assets, type PersonAssetPaths, same } from '../routes/index.ts';
import { personTexts } from '../texts/index.ts';
import { Live } from '../workspace/index.ts';
import { type PersonNotice, personHeaders, personNotice } from './notice.ts';
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
import type { EndedQuestion, OpenQuestion } from './questions.ts';
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
    const { csrf, name } = visitorOf(context);
    const zone = zoneOf(context);
    return {
      ...{ csrf, name, count, link: linkOf(context), now: clock.now() },
      zone: zone ?? 'UTC',
      isZoneTold: zone !== undefined,
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
    return show(
      context,
      viewOf(context, count),
      questionPage(shown, viewOf(context, count), { ...options, next }),
      status,
    );
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
    if (!same(first(draft, 'csrf') ?? '', visitorOf(context).csrf))
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

  const ended = async (
    context: Context<Env>,
    question: Question,
    draft: Draft,
    ending: Extract<Receipt, { problem: 'ended' }>['ending'],
  ): Promise<Response> => {
    const now = await visitorOf(context).questions.get(question.id);
    const shown = now && 'ending' in now ? now : { question, ending, endedAt: clock.now() };
    const how = personTexts.ending.sentence(shown.ending, question.kind);
    return showQuestion(
      context,
      shown,
      { returned: { draft, issues: [] }, notice: personTexts.question.alreadyEnded(how) },
      409,
    );
  };

  app.post('/questions/:question', async context => {
    const { questions } = visitorOf(context);
    const shown = await questions.get(context.req.param('question'));
    if (!shown) return missing(context, personTexts.question.missing);
    const { question } = shown;
    const draft = context.get('posted');
    if ('ending' in shown) {
      const how = personTexts.ending.sentence(shown.ending, question.kind);
      const options = { returned: { draft, issues: [] }, notice: personTexts.question.alreadyEnded(how) };
      return showQuestion(context, shown, options, 409);
    }
    if (postedAction(question, draft) === 'review' && question.kind === 'form') {
      const issues = issuesOf(question, contentOf(question.fields, draft));
      return showQuestion(context, shown, { returned: { draft, issues } });
    }
    const { reply, issues } = readReply(question, draft);
    if (issues.length > 0) return showQuestion(context, shown, { returned: { draft, issues } }, 422);
    const checked = checkReply(question, reply);
    if (!checked.ok) return showQuestion(context, shown, { returned: { draft, issues: checked.issues } }, 422);
    const receipt = await questions.reply(question.id, reply);
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

  app.get('/sign-out', async context => {
    const { count } = await visitorOf(context).questions.open(0, 1);
    const view = viewOf(context, count);
    return show(context, view, signOutPage(view));
  });

  app.post('/sign-out', context => visitorOf(context).signOut(first(context.get('posted'), 'everywhere') === 'true'));

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
    return notice(context, { ...personTexts.broken, status: 500 });
  });
  return {
    app,
    close: () => {
      for (const live of [...lives]) live.close();
    },
  };
}
