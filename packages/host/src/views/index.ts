export { jsonIn, type Members, tableColumns } from './json-value.ts';
export { isLongText, mayHaveLines } from './long-text.ts';
export { hostOf, isMarkdown, type MarkdownRule, type MarkdownToken, markdownReader } from './markdown-reader.ts';
export { expandTemplate, templateNames } from './resource-template.ts';
export { saidAlready } from './said-already.ts';
export { momentStyles, spelledMoment, spelledNumber, type WrittenMoment, writtenMoment } from './written-values.ts';
