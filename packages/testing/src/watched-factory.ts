/** What a factory of servers throws, which the SDK replaces by an error of its own. */
import { checkMade } from '@midcall/core/options';
import type { McpServerFactory } from '@modelcontextprotocol/server';

/** A factory, and the first error that it threw. */
export interface WatchedFactory {
  readonly build: McpServerFactory;
  readonly failure: () => { readonly error: unknown } | undefined;
}

/** Remembers the first error of a factory, which is one too if it returns no server. */
export function watchedFactory(factory: McpServerFactory): WatchedFactory {
  let failed: { readonly error: unknown } | undefined;
  return {
    build: async context => {
      try {
        const made = await factory(context);
        checkMade(made);
        return made;
      } catch (error) {
        failed ??= { error };
        throw error;
      }
    },
    failure: () => failed,
  };
}
