/**
 * What a host is told of a server that is not there. The reason is for whoever runs the bridge: it quotes the server's command
 * line and its standard error, which may hold secrets, and what a host is told reaches its model.
 */

/**
 * Logs a reason.
 * @param what - the sentence for the host
 * @param reason - with everything that is known
 * @returns the text for the host
 */
export function withheld(what: string, reason: string, warn: (message: string) => void): string {
  warn(reason);
  return `${what} Whoever runs this bridge finds the reason in its log.`;
}
