/**
 * A question as lines of text; pure. Text from a server is made visible, limited, and marked by a bar on every line, so that it
 * cannot pass for ours; who asks, and for which call, is always stated in our own words above it.
 */
import { dateFormat } from '@midcall/core/time';
import { type Ending, maskedArguments, type Question, visible } from '../index.ts';
import { wrapped } from './wrap.ts';

const bar = '  | ';

/** Lines that fit a terminal of this width; wrapped lines of a quotation keep its bar, and ours are indented. */
export function fitted(lines: readonly string[], columns: number | undefined): readonly string[] {
  return lines.flatMap(line => wrapped(line, columns, line.startsWith(bar) ? bar : '  '));
}

/** A foreign text as quoted lines. */
export function quoted(text: string, max = 2_000): readonly string[] {
  return visible(text, { lines: true, max })
    .split('\n')
    .map(line => `${bar}${line}`);
}

/** How long a question is open, with the day, since it may stay in a terminal for long. */
function deadline({ openUntil }: Question, timeZone: string): readonly string[] {
  if (openUntil === undefined) return [];
  const format = dateFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return [`Closes by ${format.format(openUntil)}`];
}

/**
 * Who asks, for which call, and how long it is open.
 * @param timeZone - an IANA name
 * @param calls - how many calls like that of the question it is about
 */
export function heading(question: Question, timeZone: string, calls = 1): readonly string[] {
  const { asker, call } = question;
  const ownName = `${visible(asker.name, { max: 60 })}${asker.version === undefined ? '' : ` ${visible(asker.version, { max: 30 })}`}`;
  const about =
    question.kind === 'call'
      ? `${calls === 1 ? 'The call' : `${calls} calls`} of ${visible(question.call.name, { max: 100 })} ${calls === 1 ? 'has' : 'have'} not been made. You are asked because ${question.why}.`
      : call
        ? `For the ${call.kind} ${visible(call.name, { max: 100 })} with ${visible(JSON.stringify(maskedArguments(call.arguments)), { max: 300 })}`
        : question.kind === 'sign-in'
          ? 'It accepts calls only from people who are signed in.'
          : 'The server did not say which call this is for';
  return [
    '',
    `== ${calls === 1 ? titleOf(question) : `Midcall asks before ${calls} calls`} ==`,
    `Server ${visible(asker.id, { max: 60 })} (${visible(asker.origin, { max: 200 })}), which calls itself ${ownName}`,
    about,
    ...deadline(question, timeZone),
  ];
}

function titleOf(question: Question): string {
  switch (question.kind) {
    case 'form':
      return 'A server asks';
    case 'url':
      return 'A server asks you to open a page';
    case 'url-finish':
      return 'A page was opened';
    case 'sign-in':
      return question.more ? 'A server asks for more than your sign-in allows' : 'A server asks you to sign in';
    case 'sampling-request':
      return 'A server asks to use your model';
    case 'sampling-reply':
      return `${question.model.byHand ? 'Your reply' : 'Your model’s reply'}, before the server gets it`;
    case 'roots':
      return 'A server asks which folders it may use';
    case 'call':
      return 'Midcall asks before a call';
  }
}

/** One line on how a question ended without this terminal; undefined if this terminal, which is `via`, ended it. */
export function endingLine(ending: Ending, via?: string): string | undefined {
  switch (ending.how) {
    case 'answered':
    case 'declined':
    case 'dismissed':
      return ending.via === via ? undefined : `-- ${ending.how} elsewhere (${ending.via})`;
    case 'timed-out':
      return '-- time is up; the question was taken as dismissed';
    case 'unshown':
      return '-- the question could not be shown, and was taken as dismissed';
    case 'withdrawn':
      return '-- the server withdrew the question';
    case 'completed':
      return '-- the page says that it is done';
    case 'server-gone':
      return '-- the server is gone';
    case 'refused-by-policy':
      return `-- refused: ${ending.decision}`;
  }
}
