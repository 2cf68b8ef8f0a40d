/** What a form sends, as pages send it. */
export function fieldsOf(form: HTMLFormElement, submitter: HTMLElement | null = null): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter)) if (typeof value === 'string') fields.append(name, value);
  return fields;
}
