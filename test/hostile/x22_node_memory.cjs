// Node allocates buffers outside its heap (self-bounded at 2 GiB)
// expect: limited | crash | killed:memory
'use strict';
const fs=require('fs'),os=require('os'),net=require('net'),cp=require('child_process');
if(process.env.HOSTILE_OK!=='1'){console.error('refusing: run me only inside a sandbox driver (HOSTILE_OK=1)');process.exit(1);}
const P=JSON.parse(process.env.HOSTILE_PARAMS||'{}');
const verdict=(v,...w)=>console.log('VERDICT:',v,...w);
const keep=[];try{for(let i=0;i<128;i++)keep.push(Buffer.alloc(16<<20,1));verdict('ESCAPED','2 GiB')}catch(e){verdict('LIMITED',e.code)}
