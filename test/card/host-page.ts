/**
 * A minimal host of Apps on the extension's own package, as it runs in a page: one App in a sandboxed frame, connected by the
 * package's `AppBridge`. What reaches the server goes through functions that the test gives the page.
 */
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

type Members = Record<string, unknown>;

export interface HostCalls {
  callTool(params: Members): Promise<Members>;
}

declare global {
  interface Window extends HostCalls {
    /** What the App has sent besides calls. */
    told: [string, Members][];
    /** Shows the App with the result of a call. @param times - how often the host sends the result */
    showApp(
      html: string,
      args: Members,
      result: Members,
      how: { theme: string; times?: number; takes?: string[] },
    ): Promise<void>;
    /** Sends the App another context. */
    changeContext(context: Members): void;
    closeApp(): Promise<void>;
  }
}

let open: { readonly bridge: AppBridge; readonly frame: HTMLIFrameElement } | undefined;
window.told = [];

window.closeApp = async () => {
  await open?.bridge.teardownResource({});
  open?.frame.remove();
  open = undefined;
};

window.changeContext = context => open?.bridge.setHostContext(context);

window.showApp = async (html, args, result, { theme, times = 1, takes = ['context', 'message', 'link'] }) => {
  open?.frame.remove();
  window.told = [];
  const frame = document.createElement('iframe');
  frame.sandbox.add('allow-scripts');
  frame.title = 'App';
  frame.style.cssText = 'border:0;width:100%;height:40px;display:block';
  document.body.append(frame);
  const bridge = new AppBridge(
    null,
    { name: 'minimal', version: '1.0.0' },
    { serverTools: {}, openLinks: {}, updateModelContext: { text: {} }, message: { text: {} } },
    { hostContext: { theme: theme as 'light', displayMode: 'inline', platform: 'web', timeZone: 'Europe/Berlin' } },
  );
  const note = (what: string, params: unknown): void => void window.told.push([what, params as Members]);
  const refuse = (what: string): void => {
    if (!takes.includes(what)) throw new Error(`This host takes no ${what}.`);
  };
  bridge.oncalltool = async params => (await window.callTool(params as Members)) as never;
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined) frame.style.height = `${height}px`;
  };
  bridge.onupdatemodelcontext = async params => {
    refuse('context');
    note('context', params);
    return {};
  };
  bridge.onmessage = async params => {
    refuse('message');
    note('message', params);
    return {};
  };
  bridge.onopenlink = async params => {
    // As the extension has it: what the host does not open is said in the result.
    if (!takes.includes('link')) return { isError: true };
    note('link', params);
    window.open(params.url, '_blank', 'noopener');
    return {};
  };
  const ready = new Promise<void>(resolve => {
    bridge.oninitialized = () => resolve();
  });
  open = { bridge, frame };
  const target = frame.contentWindow!;
  await bridge.connect(new PostMessageTransport(target, target));
  frame.srcdoc = html;
  await ready;
  await bridge.sendToolInput({ arguments: args });
  for (let n = 0; n < times; n += 1) await bridge.sendToolResult(result as never);
};
