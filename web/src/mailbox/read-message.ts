import PostalMime from 'postal-mime';

/** A message taken apart for reading. */
export interface ReadMessage {
  readonly subject: string;
  readonly from: string;
  readonly to: string;
  readonly date: string | undefined;
  readonly html: string | undefined;
  readonly text: string | undefined;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly raw: string;
}

interface Mailbox {
  readonly name?: string;
  readonly address?: string;
}

const readable = ({ name, address = '' }: Mailbox) => (name ? `${name} <${address}>` : address);

/** Reads the source of a message (RFC 5322 and MIME). */
export async function readMessage(raw: string): Promise<ReadMessage> {
  const message = await PostalMime.parse(raw);
  return {
    subject: message.subject ?? '',
    from: message.from ? readable(message.from) : '',
    to: (message.to ?? []).map(readable).join(', '),
    date: message.date,
    html: message.html,
    text: message.text,
    headers: message.headers,
    raw,
  };
}
