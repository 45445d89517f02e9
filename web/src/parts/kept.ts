/** Values that a browser keeps, by key; a full or forbidden storage keeps nothing, and what it has lost is undefined. */
export function readKept<T>(storage: Storage, key: string): T | undefined {
  try {
    const text = storage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

function forget(storage: Storage, key: string): void {
  try {
    storage.removeItem(key);
  } catch {
    // A forbidden storage keeps nothing.
  }
}

/** Keeps a value; undefined removes it. */
export function keep(storage: Storage, key: string, value: unknown): void {
  try {
    if (value === undefined) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(value));
  } catch {
    // Without room the value lasts as long as the page; an older one must not come back in its place.
    forget(storage, key);
  }
}

/** The beginning of the keys of forms' drafts. */
export const formKeys = 'facteur.form.';

/** Removes the drafts of all forms, for the next user of the browser. */
export function forgetForms(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(formKeys)) sessionStorage.removeItem(key);
}
