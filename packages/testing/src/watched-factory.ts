/** What a factory of servers throws, which the SDK replaces by an error of its own. */
import type { McpServerFactory } from '@modelcontextprotocol/server';

/** A factory, and the first error that it threw. */
export interface WatchedFactory {
  readonly build: McpServerFactory;
  readonly failure: () => { readonly error: unknown } | undefined;
}

/** Remembers the first error of a factory. */
export function watchedFactory(factory: McpServerFactory): WatchedFactory {
  let failed: { readonly error: unknown } | undefined;
  return {
    build: async context => {
      try {
        return await factory(context);
      } catch (error) {
        failed ??= { error };
        throw error;
      }
    },
    failure: () => failed,
  };
}
