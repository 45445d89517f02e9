import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { sampleDataOf, useSampleWords } from './sample-data.ts';

/** Offers to fill an empty site with sample data; nothing once it has some. */
export function SampleCard() {
  const { format, language } = useWords();
  const sample = useSampleWords();
  const site = useSite();
  const refusal = useRefusal();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const { data } = useQuery(sampleDataOf(site.name));
  if (data !== null || !site.may('editor')) return null;
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
    } catch (failure) {
      toast({ text: refusal(failure), seconds: 10 });
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
          <Button loading={isBusy} onClick={() => void fill()}>
            {sample.fill}
          </Button>
        </div>
      </div>
    </section>
  );
}
