import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useMemo, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { type Language, useWords } from '../words/words.tsx';
import type { SaveState } from './use-target-draft.ts';

/** The elements of a description; others are shown by their text alone. */
const elements = new Set(['p', 'ul', 'li', 'b', 'i', 'code']);

/** The parts of a description as elements of the page. The document that it is read into runs and fetches nothing. */
function partsOf(nodes: Iterable<ChildNode>): ReactNode[] {
  return [...nodes].map((node, at) => {
    const name = node.nodeName.toLowerCase();
    const inner = node.nodeType === Node.TEXT_NODE ? node.textContent : partsOf(node.childNodes);
    const Element = (elements.has(name) ? name : Fragment) as 'p';
    // biome-ignore lint/suspicious/noArrayIndexKey: a description is replaced as a whole
    return <Element key={at}>{inner}</Element>;
  });
}

interface InWordsProps {
  readonly idTarget: number;
  readonly state: SaveState;
}

/** What a target selects, in sentences of one language or the other. */
export function InWords({ idTarget, state: { at } }: InWordsProps) {
  const { words, language: spoken } = useWords();
  const texts = words.targets;
  const site = useSite();
  const [language, setLanguage] = useState<Language>(spoken);
  const { data, error } = useQuery({
    queryKey: ['targets', site.name, idTarget, 'description', at, language],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/v1/{idsite}/targets/{idTarget}/description', {
          params: { path: { idsite: site.name, idTarget }, query: { language } },
          signal,
        }),
      ),
  });
  const parts = useMemo(
    () => partsOf(new DOMParser().parseFromString(data ?? '', 'text/html').body.childNodes).slice(1),
    [data],
  );
  return (
    <section className="card" aria-label={texts.inWords}>
      <div className="card-head">
        <h2>{texts.inWords}</h2>
        <span className="aside">
          {/* biome-ignore lint/a11y/useSemanticElements: two buttons are no set of fields */}
          <span className="segments" role="group" aria-label={texts.language}>
            {(['en', 'fr'] as const).map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={one === language}
                onClick={() => setLanguage(one)}
              >
                {one.toUpperCase()}
              </button>
            ))}
          </span>
        </span>
      </div>
      <div className="card-body described small text-2 name" lang={language}>
        {error ? <p className="red">{texts.notDescribed}</p> : parts}
      </div>
    </section>
  );
}
