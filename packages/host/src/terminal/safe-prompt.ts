/**
 * A text that stands there to be changed may hold anything: what hides in it is written out before it is seen, and where
 * it was not touched it is given back to the letter. Pure.
 */
import { visible } from '../index.ts';
import type { TextPrompt } from './prompter.ts';

/** Longer texts are cut. */
const longest = 1_000_000;

/** A prompt that is safe to draw, and what stands for the text it gives. */
export interface SafePrompt {
  readonly prompt: TextPrompt;
  readonly untouched: (text: string) => string;
}

/** @param lines - true keeps line breaks */
export function safePrompt(prompt: TextPrompt, lines: boolean): SafePrompt {
  const { initial, validate } = prompt;
  if (initial === undefined) return { prompt, untouched: text => text };
  const safeText = visible(initial, { lines, max: longest });
  const untouched = (text: string): string => (text === safeText ? initial : text);
  return { prompt: { ...prompt, initial: safeText, validate: text => validate(untouched(text)) }, untouched };
}
