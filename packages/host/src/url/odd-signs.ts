/**
 * Characters in a host name that are not ordinary writing: those that pass for a slash, a dash or a letter.
 * By rule, not by list; browsers' address bars and registries refuse most of them. Pure.
 */

/** Signs that are part of ordinary names: the Catalan, Greek, Hebrew and Japanese ones IDNA knows (RFC 5892, A). */
const ordinary = /[·͵׳״・]/gu;

/** Not a letter, mark or digit. */
const noLetter = /[^\p{L}\p{M}\p{N}._-]/u;

/** Kana and Han strokes that pass for a slash or a dash where they touch a Latin letter. */
const strokes = /\p{Script=Latin}[ノソンゾ丶丿〳〵一ー〆]|[ノソンゾ丶丿〳〵一ー〆]\p{Script=Latin}/u;

/** Latin letters of phonetic and medieval writing, except those of alphabets in use today. */
const phonetic = /(?![ɓɔɖɗəɛɣɨɩɲʉʊʋʒ])[\u0250-\u02AF\u1D00-\u1DBF\uA720-\uA7FF\uAB30-\uAB6F]/u;

/** True if a host name, in readable form, contains one of these signs. */
export function oddSigns(host: string): boolean {
  return noLetter.test(host.replaceAll(ordinary, '')) || strokes.test(host) || phonetic.test(host);
}
