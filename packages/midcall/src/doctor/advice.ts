/** What an author of a server should do about an outcome. Pure. */
import type { RowName } from './checks.ts';
import type { Outcome } from './finding.ts';

type Told = Partial<Record<Outcome, string>>;

const runAgain = 'Run this check again and answer it, or take the host for one that refuses unseen.';
const elsewhere =
  "Expect cancel/unavailable, and give the question another way: a page, a relay, or an argument (docs/elicitation.md, 'Where nobody can be asked').";
const proof =
  "Never take its accept for a person's. Demand assurance: 'out-of-band' where it matters: that asks on a page, out of the host's reach.";
const deadline = 'Give questions a timeoutMs, do nothing without an answer, and say so in the result (whyNot).';

const field: Told = {
  wrong: 'Expect content that does not fit. Check it; call.elicit does, and asks again with the reason.',
  'answers-by-itself': proof,
  refused: runAgain,
  dropped: deadline,
  'not-declared': elsewhere,
};

const refusal: Told = {
  wrong: 'Treat decline and cancel alike here: neither is a yes. Do not count on asking again after a cancel.',
  'answers-by-itself':
    'Do not tell the model that the person said no: whyNot(answer) says that the host answered. Ask on a page where the answer matters.',
  dropped: deadline,
  'not-declared': elsewhere,
};

const waiting: Told = {
  dropped: 'Ask early, keep questions short, and let what takes hours go on with a ticket (docs/connect.md, Waiting).',
};

const advice: Readonly<Record<RowName, Told>> = {
  form: { ...field, wrong: proof },
  'fields.text': { ...field, wrong: 'Do not count on defaults: a field that is left alone may come back empty.' },
  'fields.number': field,
  'fields.boolean': field,
  'fields.choice': field,
  'fields.choices': field,
  decline: refusal,
  dismiss: refusal,
  page: {
    wrong: 'An accept is consent to open the link, no more. Act only where the answer says completed.',
    'answers-by-itself': 'Do not go by what this host answers to a link; the page alone says what the person did.',
    refused: runAgain,
    dropped: deadline,
    'not-declared':
      "Switch on the 'page' channel: the link then goes in a form, to a browser on the same machine, or into the result (docs/connect.md).",
  },
  roots: {
    wrong: 'Such roots are left out. Name directories of your own as the ceiling, so that something is left.',
    dropped: 'Without a list nothing is allowed. Offer an argument for the directories, as midcall notes does.',
    'not-declared': 'Take the directories from the command line: without roots the ceiling alone is the boundary.',
  },
  sampling: {
    wrong: 'Read replies as text that may hold anything, and have something to do where they are of no use.',
    refused: runAgain,
    dropped: 'Give midcall({ sampling: { model } }) a model of your own for when the client gives no reply.',
    'not-declared': 'Give midcall({ sampling: { model } }) a model of your own: call.sample uses it here.',
  },
  timeout: waiting,
  'timeout.progress': {
    ...waiting,
    'not-declared': 'Nothing keeps a call alive here but its end. Stay below the time that the host waits.',
  },
};

/** @returns one or two sentences; nothing where there is nothing to do */
export const advise = (row: RowName, outcome: Outcome): string | undefined => advice[row][outcome];
