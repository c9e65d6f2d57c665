// Node queues output faster than anybody reads
// expect: killed:output | killed:memory | killed:timeout | crash
'use strict';
const fs=require('fs'),os=require('os'),net=require('net'),cp=require('child_process');
if(process.env.HOSTILE_OK!=='1'){console.error('refusing: run me only inside a sandbox driver (HOSTILE_OK=1)');process.exit(1);}
const P=JSON.parse(process.env.HOSTILE_PARAMS||'{}');
const verdict=(v,...w)=>console.log('VERDICT:',v,...w);
const b='x'.repeat(1<<16);const go=()=>{for(let i=0;i<64;i++)process.stdout.write(b);setImmediate(go)};go();
