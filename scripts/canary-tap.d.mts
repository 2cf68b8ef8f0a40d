/**
 * Hands over what a test's own ear heard, such as audit events, warnings and spans, where a run is recorded.
 * @param text - as it would be written down
 */
export function watched(sink: 'audit' | 'warning' | 'span' | 'error' | 'outcome', text: string): void;
