/** What an author of a server should do about an outcome. Pure. */
import { documentation } from '@midcall/core/text';
import type { Outcome, RowName } from './checks.ts';

type AdviceByOutcome = Partial<Record<Outcome, string>>;

const runAgain =
  'Run this check again and answer it. If you did, expect this host to refuse without showing the question.';
const elsewhere =
  'Expect cancel/unavailable, and ask in another way: on a page, through a relay, or by an argument. See ' +
  `${documentation('elicitation.md#if-nobody-can-be-asked')}.`;
const proof =
  "Do not treat this host's accept as a person's. Where it matters, demand assurance: 'out-of-band': Midcall then asks on " +
  'a page, which the host cannot answer.';
const deadline = 'Give questions a timeoutMs, do nothing without an answer, and say so in the result (whyNot).';

const field: AdviceByOutcome = {
  wrong: 'Expect content that does not fit the form. call.elicit checks it, and asks again with the reason.',
  'answers-by-itself': proof,
  refused: runAgain,
  dropped: deadline,
  'not-declared': elsewhere,
};

const refusal: AdviceByOutcome = {
  wrong: 'Treat decline and cancel alike here: neither is a yes. Do not rely on asking again after a cancel.',
  'answers-by-itself':
    'Do not tell the model that the person said no: whyNot(answer) says that the host answered. Where the answer matters, ask on a page.',
  dropped: deadline,
  'not-declared': elsewhere,
};

const waiting: AdviceByOutcome = {
  dropped:
    'Ask early and keep questions short. A call that takes hours can continue with a ticket: ' +
    `${documentation('connect.md#waiting')}.`,
};

const advice: Readonly<Record<RowName, AdviceByOutcome>> = {
  form: { ...field, wrong: proof },
  'fields.text': {
    ...field,
    wrong: 'Do not rely on defaults: a field that the person leaves alone may come back empty.',
  },
  'fields.number': field,
  'fields.boolean': field,
  'fields.choice': field,
  'fields.choices': field,
  decline: refusal,
  dismiss: refusal,
  page: {
    wrong: 'An accept is consent to open the link, no more. Act only if the answer says completed.',
    'answers-by-itself': 'Ignore what this host answers to a link: only the page knows what the person did.',
    refused: runAgain,
    dropped: deadline,
    'not-declared':
      "Enable the 'page' channel: the link then appears in a form, in a browser on the same machine, or in the result. See " +
      `${documentation('connect.md#how-the-page-reaches-the-person')}.`,
  },
  roots: {
    wrong: 'Midcall leaves such roots out. Name directories of your own as the ceiling, so that some are left.',
    dropped: 'Without a list, nothing is allowed. Offer an argument for the directories, as midcall notes does.',
    'not-declared': 'Take the directories from the command line: without roots, the ceiling alone is the boundary.',
  },
  sampling: {
    wrong: 'Treat replies as text that may contain anything, and have an alternative for those you cannot use.',
    refused: runAgain,
    dropped: 'Give midcall({ sampling: { model } }) a model of your own, for clients that do not reply.',
    'not-declared': 'Give midcall({ sampling: { model } }) a model of your own: call.sample uses it here.',
  },
  timeout: waiting,
  'timeout.progress': {
    ...waiting,
    'not-declared': 'Nothing keeps a call alive on this host. Return before it gives up.',
  },
};

/** @returns one or two sentences; undefined if there is nothing to do */
export const advise = (row: RowName, outcome: Outcome): string | undefined => advice[row][outcome];
