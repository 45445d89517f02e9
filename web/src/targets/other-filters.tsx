import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { useWords, type Words } from '../words/words.tsx';
import type { Target } from './target.ts';

type Kind = keyof Words['targets']['others'];

/** How the service's description, which is in French, heads each kind of filter. */
const headings: Readonly<Record<Kind, string>> = {
  behaviour: 'Filtre de comportement',
  thematic: 'Filtre thématique',
  sending: 'Filtre d’envoi',
  pressure: 'Filtre de pression',
  geolocation: 'Filtre géographique',
  file: 'Filtre sur un fichier',
  sql: 'Filtre SQL',
};

const kindsOf = (target: Target): Kind[] => {
  const has: Readonly<Record<Kind, boolean>> = {
    behaviour: target.hasBehaviourFilter,
    thematic: target.hasThematicFilter,
    sending: target.hasSendingFilter,
    pressure: target.hasEmailPressureFilter,
    geolocation: target.hasGeolocFilter,
    file: target.hasFileFilter,
    sql: target.hasSqlFilter,
  };
  return (Object.keys(has) as Kind[]).filter((kind) => has[kind]);
};

/** The sentences of each filter in a description. The document that it is read into runs and fetches nothing. */
function sentencesOf(description: string): ReadonlyMap<Kind, readonly string[]> {
  const page = new DOMParser().parseFromString(description, 'text/html');
  const found = new Map<Kind, readonly string[]>();
  for (const item of page.querySelectorAll('body > ul > li')) {
    const heading = item.firstChild?.textContent ?? '';
    const kind = (Object.keys(headings) as Kind[]).find((one) => heading.startsWith(headings[one]));
    const sentences = [...item.querySelectorAll('li')].map((one) => one.textContent ?? '');
    if (kind) found.set(kind, sentences);
  }
  return found;
}

/** The filters of a target that the builder does not change, each in words. */
export function OtherFilters({ target }: { readonly target: Target }) {
  const { words, language } = useWords();
  const texts = words.targets;
  const site = useSite();
  const kinds = kindsOf(target);
  const { data } = useQuery({
    queryKey: ['targets', site.name, target.id, 'description'],
    enabled: kinds.length > 0,
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/targets/{idTarget}/description', {
          params: { path: { idsite: site.name, idTarget: target.id } },
        }),
      ),
  });
  const sentences = useMemo(() => sentencesOf(data ?? ''), [data]);
  return kinds.map((kind) => (
    <section className="card" key={kind}>
      <h2 className="card-head">{texts.others[kind]}</h2>
      <div className="card-body stack described" style={{ gap: 6 }}>
        {language !== 'fr' && <p className="label text-3">{texts.inFrench}</p>}
        <ul lang="fr">
          {sentences.get(kind)?.map((sentence) => (
            <li key={sentence} className="name">
              {sentence}
            </li>
          ))}
        </ul>
        <p className="small text-3">{texts.otherKept}</p>
      </div>
    </section>
  ));
}
