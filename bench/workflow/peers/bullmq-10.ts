import { bullmqWith } from './bullmq.ts';

export const contender = bullmqWith(10);
