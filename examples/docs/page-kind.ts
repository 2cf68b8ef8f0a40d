/** A page of an author's own kind, for docs/connect.md: terms to be signed with a name. */

import { type MidcallOptions, midcall } from '@midcall/server';
import { connect, html, type PageKind, pageOf, type Reach } from '@midcall/server/connect';
import { McpServer } from '@modelcontextprotocol/server';

// #region kind
const view = (terms: unknown, problem?: string) => ({
  title: 'Terms of the workshop',
  send: 'Sign',
  body: html`<p>${String(terms)}</p><label for="name">Your name</label><input id="name" name="name" required>`,
  ...(problem && { problem }),
});

const terms: PageKind = {
  name: 'terms',
  show: ({ data }) => view(data), // changes nothing: scanners open links, too
  submit({ data }, sent) {
    const name = sent.get('name')?.[0]?.trim();
    return name ? { finish: () => ({ signedBy: name }) } : { again: view(data, 'Please write your name.') };
  },
};
// #endregion

export function workshop(reach: Reach, options: MidcallOptions) {
  const pages = connect({ name: 'Workshop', kinds: [terms], reach });
  const mid = midcall({ ...options, pages });
  const factory = () => {
    const server = new McpServer({ name: 'workshop', version: '1.0.0' });
    mid.tool(server, 'join', {}, async (_args, call) => {
      // #region ask
      const page = pageOf<{ signedBy: string }>(terms, 'Wear goggles.');
      const answer = await call.elicitUrl({ message: 'Sign the terms first.', page });
      // #endregion
      const signed = answer.action === 'accept' ? `by ${answer.content.signedBy}` : 'by nobody';
      return { content: [{ type: 'text', text: `Signed ${signed}.` }] };
    });
    return server;
  };
  return { factory, pages };
}
