import { useMemo } from 'react';
import { quietHtml } from './quiet-html.ts';

interface MessageFrameProps {
  /** Says what the frame shows. */
  readonly title: string;
  readonly html: string;
  /** Fetches pictures of this service; others are never fetched. */
  readonly showsPictures?: boolean;
  readonly width?: number;
  /** Writes into the page what is shown beside the message's own; a new function shows the message again. */
  readonly mark?: (page: Document) => void;
}

/** A message as its readers see it: sandboxed, without scripts, its links in a new tab. */
export function MessageFrame({ title, html, showsPictures = false, width, mark }: MessageFrameProps) {
  const quiet = useMemo(() => quietHtml(html, showsPictures, mark), [html, showsPictures, mark]);
  return (
    // A new frame for each text: another text in the same one adds an entry to the history, through which Back goes.
    <iframe
      key={quiet}
      className="message"
      title={title}
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      srcDoc={quiet}
      style={width ? { maxWidth: width } : undefined}
    />
  );
}
