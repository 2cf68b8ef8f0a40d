/** The responses to requests that have not been sent completely. */
import { watchResponse } from './response-end.ts';

export class OpenResponses {
  readonly #open = new Set<Promise<void>>();

  /** @returns the same response */
  async follow(responding: Promise<Response>): Promise<Response> {
    let ended = (): void => {};
    const sent = new Promise<void>(resolve => {
      ended = resolve;
    });
    this.#open.add(sent);
    void sent.then(() => this.#open.delete(sent));
    try {
      return watchResponse(await responding, ended).response;
    } catch (error) {
      ended();
      throw error;
    }
  }

  /** Resolves when every response has been sent, or its client is gone. */
  async idle(): Promise<void> {
    while (this.#open.size > 0) await Promise.all([...this.#open]);
  }
}
