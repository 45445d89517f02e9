import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { Confirm } from '../parts/dialogs.tsx';
import { useAct } from '../parts/use-act.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { sample as en } from '../words/en/sample.ts';
import { sample as fr } from '../words/fr/sample.ts';
import { useWords } from '../words/words.tsx';

/** The sample data of a site, or null. */
const sampleDataOf = (idsite: string) => ({
  queryKey: ['sample-data', idsite],
  staleTime: 60_000,
  queryFn: () => dataOf(api.GET('/v1/{idsite}/sample-data', { params: { path: { idsite } } })),
});

/** The texts about sample data, in both languages: a second load could fail while the screen is open. */
const useSampleWords = () => ({ en, fr })[useWords().language];

/** Says above every screen that the site has sample data, and removes it; nothing on other sites. */
export function SampleBar() {
  const site = useSite();
  const { data } = useQuery(sampleDataOf(site.name));
  useEffect(() => {
    // The frame loads the bar at once the next time, so that no screen moves down under the pointer.
    const key = `facteur.sample.${site.name}`;
    if (data) localStorage.setItem(key, '1');
    else if (data === null) localStorage.removeItem(key);
  }, [data, site.name]);
  return data ? <Bar count={data.nbSubscribers} /> : null;
}

/** Brings the focus to the content when the component goes together with the button that had it. */
function useFocusOnContent(): void {
  useEffect(
    () => () => {
      if (document.activeElement === document.body)
        document.getElementById('content')?.focus({ preventScroll: true });
    },
    [],
  );
}

function Bar({ count }: { readonly count: number }) {
  const { format } = useWords();
  const sample = useSampleWords();
  const site = useSite();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  useFocusOnContent();
  const people = format.count(count);
  const remove = async () => {
    const removed = await dataOf(
      api.DELETE('/v1/{idsite}/sample-data', { params: { path: { idsite: site.name } } }),
    );
    toast({ text: sample.removed(format.count(removed.nbSubscribers)) });
    await queries.invalidateQueries();
  };
  return (
    <aside className="sample-bar" aria-label={sample.bar(people)}>
      <span>{sample.bar(people)}</span>
      {site.may('editor') && (
        <Button size="compact-sm" aria-label={sample.removeAll(people)} onClick={() => setAsking(true)}>
          {sample.remove}
        </Button>
      )}
      {isAsking && (
        <Confirm
          title={sample.question(people)}
          text={sample.consequence}
          action={sample.removeAll(people)}
          close={() => setAsking(false)}
          confirm={remove}
        />
      )}
    </aside>
  );
}

/** Offers to fill an empty site with sample data; nothing once it has some. */
export function SampleCard() {
  const site = useSite();
  const { data } = useQuery(sampleDataOf(site.name));
  return data === null && site.may('editor') ? <Offer /> : null;
}

function Offer() {
  const { format, language } = useWords();
  const sample = useSampleWords();
  const site = useSite();
  const act = useAct();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  useFocusOnContent();
  const fill = async () => {
    setBusy(true);
    try {
      const made = await dataOf(
        api.POST('/v1/{idsite}/sample-data', {
          params: { path: { idsite: site.name } },
          body: { language },
        }),
      );
      toast({ text: sample.filled(format.count(made.nbSubscribers)) });
      await queries.invalidateQueries();
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="card">
      <div className="card-head" style={{ paddingBottom: 2 }}>
        <h2>{sample.title}</h2>
      </div>
      <div className="card-body stack tight">
        <p className="small text-2">{sample.text}</p>
        <div>
          <Button loading={isBusy} onClick={() => act(fill)}>
            {sample.fill}
          </Button>
        </div>
      </div>
    </section>
  );
}
