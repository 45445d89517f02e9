import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Failed, Loading, NoRight, Page } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { createDraft } from './create-draft.ts';

/** Makes a draft from the plain message and opens it. */
export function NewCampaignScreen() {
  const { words } = useWords();
  const site = useSite();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const started = useRef(-1);
  const mayEdit = site.may('editor');
  useEffect(() => {
    // Once for each attempt: an effect may run twice.
    if (!mayEdit || started.current === attempt) return;
    started.current = attempt;
    createDraft(site.name, words.composer.starter).then((id) => {
      void queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
      return navigate({
        to: '/$site/campaigns/$idCampaign',
        params: { site: site.name, idCampaign: String(id) },
        replace: true,
      });
    }, setError);
  }, [attempt, mayEdit, navigate, queries, site, words]);
  if (!mayEdit) return <NoRight text={words.rights.campaigns} />;
  return (
    <Page title={words.campaigns.new}>
      {error === undefined ? (
        <Loading />
      ) : (
        <Failed
          error={error}
          retry={() => {
            setError(undefined);
            setAttempt(attempt + 1);
          }}
        />
      )}
    </Page>
  );
}
