import { useCallback, useMemo } from 'react';
import { MessageFrame } from '../parts/message-frame.tsx';
import { useWords } from '../words/words.tsx';
import { type LinkMark, markLinks, placesOf } from './click-map.ts';
import { clicksOf, type Scope, useLinks } from './report-data.ts';
import { useReportWords } from './report-words.ts';

interface MessageProps {
  readonly scope: Scope;
  readonly withMachines: boolean;
  readonly html: string;
}

/** The message as it was sent, with the share of the clicks at each of its links. */
export function Message({ scope, withMachines, html }: MessageProps) {
  const { words, format } = useWords();
  const report = useReportWords();
  const { data } = useLinks(scope);
  const clicks = (data ?? []).map((one) => clicksOf(one, withMachines));
  const total = clicks.reduce((sum, count) => sum + count, 0);
  const shares = (data ?? []).map(
    ({ url }, index): LinkMark => ({
      url,
      number: index + 1,
      share: format.share(clicks[index]!, total),
    }),
  );
  // A new function shows the message again, from its beginning: only where a share has changed.
  const known = JSON.stringify(total > 0 ? shares : []);
  const mark = useCallback((page: Document) => markLinks(page, JSON.parse(known) as LinkMark[]), [known]);
  const places = useMemo(() => {
    const urls = (JSON.parse(known) as LinkMark[]).map(({ url }) => url);
    return [...placesOf(html, urls).values()];
  }, [html, known]);
  const several = places.filter((count) => count > 1).length;
  const elsewhere = places.filter((count) => count === 0).length;
  return (
    <section className="card" style={{ overflow: 'hidden' }} aria-label={report.message}>
      <div className="card-head">
        <h2>{report.message}</h2>
      </div>
      <div style={{ borderTop: '1px solid var(--f-line)', height: 480 }}>
        <MessageFrame title={words.composer.previewTitle} html={html} mark={mark} />
      </div>
      {places.length > 0 && (
        <div className="card-body label text-3 stack" style={{ gap: 4, paddingTop: 10 }}>
          <p>{report.map.numbers}</p>
          {several > 0 && <p>{report.map.several(several)}</p>}
          {elsewhere > 0 && <p>{report.map.elsewhere(elsewhere)}</p>}
        </div>
      )}
    </section>
  );
}
