/**
 * The questions to the person and to the model. Each contains something random, which is returned only if somebody read the
 * message, so that an answer made without reading is recognized. Pure.
 */
import { type Form, form } from '@midcall/core/form';

/** The random values of one call. */
export interface RandomValues {
  readonly word: string;
  /** The word that the model must say. */
  readonly reply: string;
  readonly number: number;
  readonly colour: string;
  readonly animals: readonly string[];
}

export interface Question {
  readonly message: string;
  readonly form: Form<unknown>;
}

const words = [
  'amber',
  'anchor',
  'autumn',
  'basket',
  'bridge',
  'button',
  'candle',
  'carpet',
  'cherry',
  'cloud',
  'copper',
  'corner',
  'feather',
  'forest',
  'garden',
  'harbour',
  'island',
  'lantern',
  'lemon',
  'maple',
  'marble',
  'meadow',
  'mirror',
  'ocean',
  'orange',
  'paper',
  'pebble',
  'pencil',
  'planet',
  'river',
  'saddle',
  'shadow',
  'silver',
  'stone',
  'summer',
  'thunder',
  'ticket',
  'valley',
  'velvet',
  'violin',
  'window',
  'winter',
]; // prettier-ignore

const colours = { red: 'Red', green: 'Green', blue: 'Blue' } as const;
const animals = { cat: 'Cat', dog: 'Dog', owl: 'Owl' } as const;
const titled = (all: Readonly<Record<string, string>>) =>
  Object.entries(all).map(([value, title]) => ({ const: value, title }));

/** The default that a person is asked to leave unchanged. */
const untouched = 'leave me';

/** @param below - a random whole number from 0 to below its argument */
export function draw(below: (limit: number) => number): RandomValues {
  const word = words[below(words.length)]!;
  const others = words.filter(each => each !== word);
  const left = below(3);
  return {
    word,
    reply: others[below(others.length)]!,
    number: 11 + below(88),
    colour: Object.keys(colours)[below(3)]!,
    animals: Object.keys(animals).filter((_, index) => index !== left),
  };
}

/** Proves that somebody reads. */
export const wordQuestion = ({ word }: RandomValues): Question => ({
  message: `Type the word '${word}' into the field, and send it.`,
  form: form({
    type: 'object',
    properties: { word: { type: 'string', title: 'The word', maxLength: 40 } },
    required: ['word'],
  }),
});

/** Every kind of field. */
export const fieldsQuestion = ({ number, colour, animals: two }: RandomValues): Question => ({
  message:
    `Leave the first field as it is. Number: ${number}. The box: yes. Colour: ${titleOf(colours, colour)}. ` +
    `Animals: ${two.map(each => titleOf(animals, each)).join(' and ')}. Then send it.`,
  form: form({
    type: 'object',
    properties: {
      text: { type: 'string', title: 'Leave as it is', maxLength: 40, default: untouched },
      number: { type: 'integer', title: 'Number', minimum: 1, maximum: 99 },
      boolean: { type: 'boolean', title: 'The box' },
      choice: { type: 'string', title: 'Colour', oneOf: titled(colours) },
      choices: { type: 'array', title: 'Animals', items: { anyOf: titled(animals) } },
    },
    required: ['number', 'boolean', 'choice', 'choices'],
  }),
});

/** What the fields should contain. */
export const fieldsWanted = ({ number, colour, animals: two }: RandomValues): Readonly<Record<string, unknown>> => ({
  text: untouched,
  number,
  boolean: true,
  choice: colour,
  choices: two,
});

/** A question to decline. It has no fields, like a yes or no, which some hosts accept unseen. */
export const declineQuestion: Question = {
  message: 'Decline this question: say no to it.',
  form: form({ type: 'object', properties: {} }),
};

export const dismissQuestion: Question = {
  message: 'Close this question without answering it: Esc, or whatever your host has for that.',
  form: form({
    type: 'object',
    properties: { text: { type: 'string', title: 'Leave this empty', maxLength: 40 } },
  }),
};

export const pageMessage = 'Open this page and press its button.';

export const samplingPrompt = ({ reply }: RandomValues): string =>
  `Reply with the one word '${reply}' and nothing else.`;

const titleOf = (all: Readonly<Record<string, string>>, value: string): string => all[value] ?? value;
