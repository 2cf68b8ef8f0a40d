/** A page that sends the person to another site and takes them back, for docs/connect.md. */
import { type MidcallOptions, midcall } from '@midcall/server';
import { connect, html, type PageKind, pageOf, type Reach } from '@midcall/server/connect';
import { McpServer } from '@modelcontextprotocol/server';

/** A payment service: where people pay, and what became of a payment. */
export interface Bank {
  address(pageId: string, back: URL): URL;
  receipt(pageId: string): Promise<string>;
}

export function till(bank: Bank, reach: Reach, options: MidcallOptions) {
  // #region kind
  let address: (path: string) => Promise<URL>;
  const payment: PageKind = {
    name: 'payment',
    show: ({ data }) => ({ title: 'Pay', send: 'Pay at the bank', body: html`<p>${String(data)} EUR</p>` }),
    async submit({ pageId }) {
      const back = await address(`paid/${pageId}`);
      return { leave: { to: bank.address(pageId, back), says: 'Going to the bank' } };
    },
    mount(app, desk) {
      address = path => desk.address(path);
      app.get('/paid/:pageId', async context => {
        const visit = await desk.enter(context.req.raw, context.req.param('pageId'));
        if (visit instanceof Response) return visit; // another person, or too late
        return desk.finish(visit, () => bank.receipt(visit.pageId)); // asks the bank: anybody can open this address
      });
    },
  };
  // #endregion
  const pages = connect({ name: 'Till', kinds: [payment], reach });
  const mid = midcall({ ...options, pages });
  const factory = () => {
    const server = new McpServer({ name: 'till', version: '1.0.0' });
    mid.tool(server, 'pay', {}, async (_args, call) => {
      const answer = await call.elicitUrl({ message: 'Pay 90 EUR.', page: pageOf<string>(payment, '90') });
      return answer.action === 'accept' ? `Paid: ${answer.content}.` : `Not paid: ${answer.action}.`;
    });
    return server;
  };
  return { factory, pages };
}
