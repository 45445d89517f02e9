import type { App } from '../platform/app.ts';
import { type Secrets, signatureBytes } from '../platform/secrets.ts';

export const webhookPrefix = '/webhooks/';
const purpose = 'webhook';

/** Returns the URL for a provider's reports on a route: signed, so not to be guessed, and the same for its lifetime. */
export function webhookAddress({ publicUrl, secrets }: Pick<App, 'publicUrl' | 'secrets'>, idRoute: number) {
  const signature = secrets.sign(purpose, Buffer.from(`${idRoute}`)).toString('base64url');
  return `${publicUrl}${webhookPrefix}${idRoute}-${signature}`;
}

/** Returns the route that the path of a webhook names; undefined if the path is not signed by us. */
export function readWebhookPath(secrets: Secrets, path: string): number | undefined {
  const [, id, text] = /^\/webhooks\/([1-9]\d{0,9})-([\w-]{1,30})$/.exec(path) ?? [];
  if (id === undefined || text === undefined) return undefined;
  const signature = Buffer.from(text, 'base64url');
  const isOurs = signature.length === signatureBytes && secrets.verify(purpose, Buffer.from(id), signature);
  return isOurs ? Number(id) : undefined;
}
