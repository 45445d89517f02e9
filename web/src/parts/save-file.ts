import { ApiError, NoConnection } from '../api/api-error.ts';
import { loadServiceText } from '../words/service-text.ts';

/** Lets the browser save a text as a file. */
export function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  follow(url, name);
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * Lets the browser save a file of the site's folder. The file is looked for first: a browser would save a refusal.
 * @throws ApiError when the service refuses, NoConnection when it cannot be reached
 */
export async function saveFile(idsite: string, path: string): Promise<void> {
  const url = `/v1/${encodeURIComponent(idsite)}/files?name=${encodeURIComponent(path)}`;
  const ask = (method: 'HEAD' | 'GET') =>
    fetch(url, { method, credentials: 'same-origin' }).catch(() => {
      throw new NoConnection();
    });
  if ((await ask('HEAD')).ok) return follow(url, path.slice(path.lastIndexOf('/') + 1));
  // Only a GET brings the reason.
  const refused = await ask('GET');
  if (refused.ok) return follow(url, path.slice(path.lastIndexOf('/') + 1));
  const { error = '' } = (await refused.json().catch(() => ({}))) as { error?: string };
  await loadServiceText();
  throw new ApiError(refused, error);
}

function follow(href: string, name: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
}
