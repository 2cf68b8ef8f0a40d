/** A question with an App: a seat map, and the form behind it. */
// #region tool
import type { Midcall } from '@midcall/server';
import type { McpServer } from '@modelcontextprotocol/server';

const mimeType = 'text/html;profile=mcp-app';

export function addSeats(server: McpServer, mid: Midcall, page: string): void {
  mid.tool(server, 'seat_pick', { description: 'Lets the traveller pick a seat.' }, async (_, call) => {
    const answer = await call.elicit({
      message: 'Which seat?',
      form: { seat: ['12A', '12B'] },
      app: 'ui://travel/seats',
    });
    const { channel, assurance } = answer.by;
    const said = answer.action === 'accept' ? `seat ${answer.content.seat}` : answer.action;
    return { content: [{ type: 'text', text: `${said} (${channel}, ${assurance})` }] };
  });
  server.registerResource('seats', 'ui://travel/seats', { mimeType }, async uri => ({
    contents: [{ uri: uri.href, mimeType, text: page }],
  }));
}
// #endregion

// #region page
export const seatPage = `<!doctype html>
<title>Seats</title>
<style>body { font: 16px system-ui; margin: 16px } button { font: inherit; padding: 12px 20px }</style>
<p>Row 12</p>
<button>12A</button> <button>12B</button>
<script>
  const waiting = new Map();
  const notify = (method, params = {}) => parent.postMessage({ jsonrpc: '2.0', method, params }, '*');
  const request = (method, params) =>
    new Promise(resolve => {
      const id = waiting.size + 1;
      waiting.set(id, resolve);
      parent.postMessage({ jsonrpc: '2.0', id, method, params }, '*');
    });
  const propose = structuredContent => request('ui/update-model-context', { structuredContent });
  addEventListener('message', ({ source, data }) => {
    if (source === parent) waiting.get(data.id)?.(data);
  });
  const appInfo = { name: 'seats', version: '1.0.0' };
  const ready = request('ui/initialize', { appInfo, appCapabilities: {}, protocolVersion: '2026-01-26' }).then(answer => {
    notify('ui/notifications/initialized');
    notify('ui/notifications/size-changed', { height: document.documentElement.offsetHeight });
    return answer.result;
  });
  let done;
  for (const button of document.querySelectorAll('button'))
    button.onclick = () => { done = propose({ seat: button.textContent }); };
</script>`;
// #endregion
