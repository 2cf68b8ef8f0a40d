/** What a dialog needs of a terminal, whether it draws or prompts line by line. */

/**
 * What a person entered; or nothing, because they pressed Ctrl-C or Esc, or the input ended. Then `typed` is what had been
 * entered, which may break every rule: it is never an answer, and is only put back when the same is asked again.
 */
export type PromptResult<T> = { readonly answered: true; readonly value: T } | Unanswered<T>;

export interface Unanswered<T = never> {
  readonly answered: false;
  readonly typed?: T;
  /** True if the person pressed a key that goes to the previous field. */
  readonly toFieldBefore?: true;
}

export const unanswered: Unanswered = { answered: false };

/** One entry to pick. */
export interface Pick {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

interface Prompt {
  readonly message: string;
  /** Ends the prompt, as if it were left without an answer. */
  readonly signal: AbortSignal;
  /** The name of the previous field, if there is one: a terminal that draws has keys that go there. */
  readonly fieldBefore?: string;
}

export interface TextPrompt extends Prompt {
  /** Text to start with, which can be edited. */
  readonly initial?: string;
  /** Earlier values, newest first; the Up key brings them. */
  readonly earlier?: readonly string[];
  /** What is wrong with a text, or undefined. */
  readonly validate: (text: string) => string | undefined;
}

/** A secret is never shown for editing: it is typed anew. */
export type SecretPrompt = Omit<TextPrompt, 'initial' | 'earlier'>;

export interface ChoicePrompt extends Prompt {
  readonly picks: readonly Pick[];
  /** Where the cursor starts; nothing is chosen before Enter. */
  readonly initial?: string;
  /** True if Enter alone chooses nothing, as long as the person has not moved the cursor. */
  readonly unchosen?: boolean;
  /** Called with what the cursor is on, if there is one, when the prompt ends without an answer. */
  readonly onLeft?: ((value: string) => void) | undefined;
}

export interface ManyPrompt extends Prompt {
  readonly picks: readonly Pick[];
  readonly initial: readonly string[];
  readonly validate: (values: readonly string[]) => string | undefined;
}

/** Asks for one thing at a time. Every text it is given must be safe to draw. */
export interface Prompter {
  say(lines: readonly string[]): void;
  text(prompt: TextPrompt): Promise<PromptResult<string>>;
  /** Asks for one line that is not shown while it is typed. */
  secret(prompt: SecretPrompt): Promise<PromptResult<string>>;
  /** Asks for a text that may have several lines. */
  lines(prompt: TextPrompt): Promise<PromptResult<string>>;
  choose(prompt: ChoicePrompt): Promise<PromptResult<string>>;
  chooseMany(prompt: ManyPrompt): Promise<PromptResult<readonly string[]>>;
  /** True once a prompt got no answer because the input has ended. */
  readonly starved: boolean;
}
