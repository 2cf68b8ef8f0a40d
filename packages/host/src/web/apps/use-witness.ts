/**
 * The script that says when the person uses an App. A page learns of no event inside a frame of another origin: not of a click,
 * and of the focus only that it has gone there, which an App can bring about by itself. So the desk begins each document with this
 * script, which runs before anything of the App.
 *
 * - use-witness-W1 It says nothing but that the person pressed a pointer or a key in the App: only events that the browser itself
 *   made count.
 * - use-witness-W2 The App cannot speak in its name. Its first message is the first of the whole document, and brings the random
 *   key by which the later ones are recognized. All that it uses later is bound before the App can replace it, and neither the
 *   document nor the window leads to the key.
 * - use-witness-W3 Its messages and those of the App share one queue, so that a proposal never comes before the click that made it.
 */

/** The members of a message: one holds the key, the other is the type of the event, or absent in the first message. The page reads them in
 * `client/app-use.ts`. */
const [useMember, eventMember] = ['io.github.midcall/use', 'io.github.midcall/event'];

/**
 * A document that replaces this one is the App's own from its first byte. The page takes one key for each frame, so that no later
 * one counts.
 */
const script = `<script>{
  const key = crypto.getRandomValues(new Uint32Array(4)).join('-');
  parent.postMessage({ '${useMember}': key }, '*');
  for (const type of ['pointerdown', 'keydown']) {
    const tell = parent.postMessage.bind(parent, { '${useMember}': key, '${eventMember}': type }, '*');
    addEventListener(type, event => { if (event.isTrusted) tell(); }, { capture: true, passive: true });
  }
  document.currentScript.remove();
}</script>`;

/** A document of an App with the script at its beginning; behind the doctype, without which the document would look different. */
export function witnessed(document: string): string {
  const start = /^\uFEFF?\s*(?:<!doctype[^>]*>)?/i.exec(document)?.[0] ?? '';
  return start + script + document.slice(start.length);
}
