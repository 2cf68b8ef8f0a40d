/** A question with an App: a seat map, and the form behind it; and a tool with an App that shows its result. */
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

// #region result
export function addTrips(server: McpServer, mid: Midcall, page: string): void {
  const shown = { title: 'Show the trip', _meta: { ui: { resourceUri: 'ui://travel/trip' } } };
  mid.tool(server, 'trip_show', shown, async () => {
    const structuredContent = { from: 'Oslo', to: 'Bergen', seat: '12A' };
    return { content: [{ type: 'text', text: 'Oslo to Bergen, seat 12A' }], structuredContent };
  });
  server.registerResource('trip', 'ui://travel/trip', { mimeType }, async uri => ({
    contents: [{ uri: uri.href, mimeType, text: page }],
  }));
}

export const tripPage = `<!doctype html>
<title>Trip</title>
<style>body { font: 16px system-ui; margin: 16px }</style>
<p id="trip">…</p>
<script>
  const send = message => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  addEventListener('message', ({ source, data }) => {
    if (source !== parent) return;
    if (data.id === 1) send({ method: 'ui/notifications/initialized' });
    if (data.method === 'ui/resource-teardown') send({ id: data.id, result: {} });
    if (data.method !== 'ui/notifications/tool-result') return;
    const { from, to, seat } = data.params.structuredContent;
    document.getElementById('trip').textContent = from + ' → ' + to + ', seat ' + seat;
  });
  const params = { appInfo: { name: 'trip', version: '1.0.0' }, appCapabilities: {}, protocolVersion: '2026-01-26' };
  send({ id: 1, method: 'ui/initialize', params });
</script>`;
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
    if (source !== parent) return;
    if (data.method === 'ui/resource-teardown') parent.postMessage({ jsonrpc: '2.0', id: data.id, result: {} }, '*');
    else waiting.get(data.id)?.(data);
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
