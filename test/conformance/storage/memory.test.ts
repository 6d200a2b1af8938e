import { openMemoryStore } from '../../../src/storage/memory/memory-store.ts';
import { storeConformance } from './suite.ts';

storeConformance('memory', openMemoryStore);
