import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { sampleDataOf, useSampleWords } from './sample-data.ts';
import './sample-bar.css';

const Confirm = lazy(async () => ({ default: (await import('../parts/dialogs.tsx')).Confirm }));

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

function Bar({ count }: { readonly count: number }) {
  const { format } = useWords();
  const sample = useSampleWords();
  const site = useSite();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
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
      <Suspense>
        {isAsking && (
          <Confirm
            title={sample.question(people)}
            text={sample.consequence}
            action={sample.removeAll(people)}
            close={() => setAsking(false)}
            confirm={remove}
          />
        )}
      </Suspense>
    </aside>
  );
}
