/**
 * Makes a part of the page equal to newly rendered markup by changing only what differs, so that focus, scrolling and typed
 * input stay where they are. Unfolded sections stay unfolded, and revealed secrets stay revealed. What is removed may leave
 * later, and is skipped until then.
 *
 * Not idiomorph 0.8, although it complies with the same content security policy if it is given nodes: it writes the values of
 * inputs (`element.value`), so that a live update replaces what a person is typing, and it matches by `id` alone, whereas rows
 * and notices here have a `data-key`. As a module it is 13 kB compressed; this is 1 kB.
 */
import { isLeaving, takeAway } from './teardown.ts';

/** True for an element that must not be changed. */
export type Keep = (now: Element, next: Element) => boolean;

const keyOf = (node: Node): string | undefined =>
  node instanceof Element
    ? node.id || node.getAttribute('data-key') || node.getAttribute('data-part') || undefined
    : undefined;

function fits(now: Node, next: Node): boolean {
  if (now.nodeType !== next.nodeType || now.nodeName !== next.nodeName) return false;
  return keyOf(now) === keyOf(next);
}

/** True for an element that was not sent since this page has it. */
const isLeftOut = (next: Element): boolean => next.hasAttribute('data-left-out');

/** True if this page has everything that was left out of what came. */
export function hasLeftOut(next: ParentNode): boolean {
  const had = new Set([...document.querySelectorAll<HTMLElement>('[data-part]')].map(each => each.dataset['part']));
  return [...next.querySelectorAll<HTMLElement>('[data-left-out]')].every(each => had.has(each.dataset['part']));
}

/** State that the person gave an element, and that the markup does not contain. */
function isOwn(now: Element, name: string): boolean {
  // How groups of the sidebar are folded is the desk's to tell: it is told of every change, and sends what is in an open one.
  if (name === 'open') return now.localName === 'details' && !now.hasAttribute('data-fold');
  return now.hasAttribute('data-revealed') && (name === 'type' || name === 'data-revealed');
}

function syncAttributes(now: Element, next: Element): void {
  for (const { name } of [...now.attributes])
    if (!next.hasAttribute(name) && !isOwn(now, name)) now.removeAttribute(name);
  for (const { name, value } of next.attributes)
    if (now.getAttribute(name) !== value && !(name === 'type' && isOwn(now, name))) now.setAttribute(name, value);
}

/** This node, or the first after it that is not leaving. */
function present(node: ChildNode | null): ChildNode | null {
  let at = node;
  while (at && isLeaving(at)) at = at.nextSibling;
  return at;
}

function syncChildren(now: Element, next: Element, keep: Keep): void {
  const keyed = new Map<string, ChildNode>();
  for (const child of now.childNodes) {
    const key = keyOf(child);
    if (key !== undefined) keyed.set(key, child);
  }
  const wantedKeys = new Set([...next.childNodes].map(keyOf));
  const isGone = (node: Node): boolean => keyOf(node) !== undefined && !wantedKeys.has(keyOf(node));
  let at = present(now.firstChild);
  for (const target of [...next.childNodes]) {
    // Removed elements are taken out first, so that those after them are matched, and neither recreated nor moved.
    while (at && isGone(at)) {
      const following: ChildNode | null = present(at.nextSibling);
      takeAway(at);
      at = following;
    }
    const key = keyOf(target);
    const match = key === undefined ? undefined : keyed.get(key);
    if (match && fits(match, target)) {
      if (match === at) at = present(at.nextSibling);
      else now.insertBefore(match, at);
      morph(match, target, keep);
    } else if (at && keyOf(at) === undefined && key === undefined && fits(at, target)) {
      const following: ChildNode | null = present(at.nextSibling);
      morph(at, target, keep);
      at = following;
    } else {
      now.insertBefore(target, at);
    }
  }
  while (at) {
    const following: ChildNode | null = present(at.nextSibling);
    takeAway(at);
    at = following;
  }
}

/** Makes `now` equal to `next`; elements that `keep` names stay untouched. */
export function morph(now: Node, next: Node, keep: Keep = () => false): void {
  if ((next instanceof Element && isLeftOut(next)) || now.isEqualNode(next)) return;
  if (now instanceof Element && next instanceof Element) {
    if (now.getAttribute('data-morph') === 'keep' || keep(now, next)) return;
    syncAttributes(now, next);
    syncChildren(now, next, keep);
  } else if (now.nodeValue !== next.nodeValue) {
    now.nodeValue = next.nodeValue;
  }
}
