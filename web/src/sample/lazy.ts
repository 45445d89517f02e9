import { lazyPart } from '../parts/opened.tsx';
import './sample-data.css';

export const SampleBar = lazyPart(async () => (await import('./sample-data.tsx')).SampleBar);
export const SampleCard = lazyPart(async () => (await import('./sample-data.tsx')).SampleCard);
