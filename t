   69.4ms wall   296.0 host   2.1 core1   exec seed0 side759 in331 out2935 ('inspect', 0, 1) main > __call__ > run > compare > open_workload > open_function > load_libraries > _look > ask
   11.8ms wall   137.3 host   0.7 core1   exec seed0 side759 in331 out2693 ('inspect', 0, 1) main > __call__ > run > compare > open_workload > open_function > load_libraries > _look > ask
   67.1ms wall   144.9 host   0.5 core1   exec seed0 side488 in331 out2938 ('inspect', 0, 1) main > __call__ > run > compare > open_workload > open_function > load_libraries > _look > ask
   11.6ms wall    30.2 host   0.5 core1   exec seed0 side488 in331 out2678 ('inspect', 0, 1) main > __call__ > run > compare > open_workload > open_function > load_libraries > _look > ask
  116.6ms wall   302.1 host   2.1 core1   exec seed0 side510 in330 out923624 ('inspect', 0, 1) run > compare > _compared > measure > measure > _measured > known_function > collect_corpus > collect > _from_file > ask
   88.2ms wall   343.2 host   0.5 core1   exec seed0 side279 in0 out250 ('?', 0, None) main > __call__ > run > compare > _compared > measure > measure > _measured > known_function > collect_corpus > collect
   40.9ms wall   116.5 host   1.4 core1   exec seed0 side510 in443748 out4648 ('check', 13, 1) measure > measure > _measured > known_function > collect_corpus > gather > observe > _observe_all > _observe > ask > ask
   40.0ms wall   472.7 host   1.1 core1   exec seed1 side312 in443748 out4618 ('check', 13, 1) known_function > collect_corpus > gather > observe > _observe_all > _observe > deterministic > <listcomp> > _again > ask > run
   45.3ms wall   234.4 host   1.2 core1   exec seed2 side750 in443748 out4627 ('check', 13, 1) known_function > collect_corpus > gather > observe > _observe_all > _observe > deterministic > <listcomp> > _again > ask > run
   46.0ms wall   159.0 host   1.7 core1   exec seed0 side359 in443748 out4628 ('check', 13, 1) collect_corpus > gather > _look > __call__ > known > _run_cases > _outcomes > run_case > run_case > run_with_answer > run
   57.3ms wall   501.7 host   2.0 core0 T exec seed0 side510 in440356 out1762 ('check', 4, 1) long > long_ones > observe > _observe_all > _observe > ask > ask
  120.4ms wall   386.4 host   2.1 core0 T exec seed0 side510 in1132029 out639 ('check', 1, 1) long > long_ones > observe > _observe_all > _observe > ask > ask
  253.1ms wall  1026.0 host   1.0 core1   exec seed0 side510 in90816 out228863 ('check', 1000, 1) measure > measure > _measured > known_function > collect_corpus > gather > observe > _observe_all > _observe > ask > ask
  102.1ms wall   433.1 host   4.8 core1   exec seed0 side510 in2105977 out201979 ('check', 1018, 1) measure > measure > _measured > known_function > collect_corpus > gather > cover > lines_run > covered > ask > ask
  459.4ms wall  1479.4 host   0.9 core1   exec seed0 side510 in68371 out48302 ('combine', 98, 1) run > compare > _compared > measure > measure > _measured > _from_corpus > _workload > scenario_cases > _kept > run
   41.2ms wall   145.3 host   1.3 core1   exec seed0 side359 in443748 out4642 ('check', 13, 1) run > compare > _compared > _checked > check > _run_cases > _outcomes > run_case > run_case > run_with_answer > run
  140.7ms wall   556.3 host   1.1 core1   exec seed1 side930 in29264 out109023 ('check', 500, 1) run > compare > _compared > _checked > check > _run_cases > _outcomes > run_case > run_case > run_with_answer > run
  249.0ms wall  1000.4 host   5.3 core1   exec seed1 side930 in1626078 out115786 ('check', 486, 1) run > compare > _compared > _checked > check > _run_cases > _outcomes > run_case > run_case > run_with_answer > run
   30.2ms wall   119.3 host   0.5 core1   exec seed1 side930 in7859 out6436 ('check', 19, 1) run > compare > _compared > _checked > check > _run_cases > _outcomes > run_case > run_case > run_with_answer > run
  190.2ms wall  1143.2 host   2.1 core0 T exec seed0 side510 in41807 out161972 ('check', 750, 1) made > unseen_cases > fresh_ones > observe > _observe_all > _observe > ask > ask
   40.6ms wall   165.0 host   1.4 core1   exec seed1 side580 in443748 out4629 ('check', 13, 1) run > compare > _compared > _checked > check > _run_cases > _outcomes > run_case > run_case > run_with_answer > run
   43.1ms wall   221.9 host   1.6 core1   exec seed2 side426 in443748 out4628 ('check', 13, 1) run > compare > _compared > _checked > check > _run_cases > _outcomes > run_case > run_case > run_with_answer > run
   44.5ms wall   165.7 host   1.1 core0 T exec seed0 side510 in440359 out1764 ('check', 4, 1) made > unseen_cases > long_ones > observe > _observe_all > _observe > ask > ask
  323.6ms wall  1053.9 host   0.8 core1   exec seed0 side359 in53395 out41546 ('combine', 80, 1) run > compare > _compared > _checked > check > _run_cases > _outcomes > run_case > run_case > run_with_answer > run
  134.9ms wall   431.2 host   0.8 core1   exec seed2 side748 in24386 out104593 ('check', 500, 1) __call__ > run > compare > _compared > _checked > check > _outcomes > run_case > run_case > run_with_answer > run
  110.2ms wall   349.9 host   1.3 core1   exec seed2 side748 in456411 out54956 ('check', 236, 1) __call__ > run > compare > _compared > _checked > check > _outcomes > run_case > run_case > run_with_answer > run
   27.1ms wall    99.3 host   0.6 core1   exec seed2 side748 in1693 out4436 ('check', 18, 1) __call__ > run > compare > _compared > _checked > check > _outcomes > run_case > run_case > run_with_answer > run
  106.6ms wall   344.0 host   4.3 core1   exec seed0 side359 in2105977 out201980 ('check', 1018, 1) compare > _compared > _checked > check > _checked > check > unrun_lines > lines_run > covered > ask > run
   40.0ms wall   141.3 host   1.6 core1   exec seed0 side510 in480340 out1009 ('check', 2, 1) _compared > timed > _plan > cached_choice > chosen > choose > _timed > candidates > _near_big > ask > ask
   42.0ms wall   151.3 host   1.4 core1   exec seed1 side312 in480340 out1001 ('check', 2, 1) cached_choice > chosen > choose > _timed > candidates > _near_big > deterministic > <listcomp> > _again > ask > run
   49.7ms wall   165.2 host   1.3 core1   exec seed2 side750 in480340 out987 ('check', 2, 1) cached_choice > chosen > choose > _timed > candidates > _near_big > deterministic > <listcomp> > _again > ask > run
   47.3ms wall   168.6 host   1.4 core1   fork seed0 side510 in481079 out1045 ('time', 4, 1) __call__ > run > compare > _compared > timed > _plan > cached_choice > chosen > choose > _timed > _pass_seconds
   48.4ms wall   164.6 host   1.3 core1   fork seed0 side510 in481079 out1036 ('time', 4, 1) __call__ > run > compare > _compared > timed > _plan > cached_choice > chosen > choose > _timed > _pass_seconds
   49.2ms wall   161.4 host   1.2 core1   fork seed0 side510 in481079 out1023 ('time', 4, 1) __call__ > run > compare > _compared > timed > _plan > cached_choice > chosen > choose > _timed > _pass_seconds
   54.6ms wall   194.9 host   1.5 core1   fork seed0 side510 in481079 out1366 ('time', 4, 3) run > compare > _compared > timed > _plan > _planned > make_plan > <listcomp> > _measured > run_on > run
   55.7ms wall   341.9 host   1.4 core1   fork seed0 side510 in481079 out1413 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   46.7ms wall   143.0 host   1.0 core1   fork seed0 side359 in481079 out1382 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   46.3ms wall   136.8 host   1.1 core1   fork seed0 side359 in481079 out1385 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   54.0ms wall   159.8 host   1.2 core1   fork seed0 side510 in481079 out1392 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   47.1ms wall   179.1 host   1.0 core1   fork seed0 side359 in481079 out1379 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   54.3ms wall   190.6 host   1.0 core1   fork seed0 side510 in481079 out1388 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   59.8ms wall   252.3 host   1.0 core1   fork seed0 side510 in481079 out1397 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   49.9ms wall   180.6 host   1.0 core1   fork seed0 side359 in481079 out1406 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   57.4ms wall   193.3 host   1.0 core1   fork seed0 side510 in481079 out1377 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   46.8ms wall   213.8 host   1.1 core1   fork seed0 side359 in481079 out1379 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   58.7ms wall   382.3 host   1.3 core1   fork seed0 side510 in481079 out1409 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   44.4ms wall   136.0 host   0.9 core1   fork seed0 side359 in481079 out1360 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   45.6ms wall   195.8 host   1.0 core1   fork seed0 side359 in481079 out1408 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   54.7ms wall   240.0 host   1.0 core1   fork seed0 side510 in481079 out1393 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   49.0ms wall   204.3 host   1.0 core1   fork seed0 side359 in481079 out1370 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   53.3ms wall   228.4 host   1.0 core1   fork seed0 side510 in481079 out1374 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   53.6ms wall   233.5 host   1.0 core1   fork seed0 side510 in481079 out1394 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   47.3ms wall   210.1 host   1.1 core1   fork seed0 side359 in481079 out1407 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   52.9ms wall   173.9 host   1.2 core1   fork seed0 side510 in481079 out1405 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
   45.4ms wall   177.9 host   1.0 core1   fork seed0 side359 in481079 out1390 ('time', 4, 3) main > __call__ > run > compare > _compared > time > _compared > compare > _pair > run_on > run
  117.7ms wall   437.6 host   1.4 core1   fork seed0 side510 in481079 out1390 ('time', 4, 3) __call__ > run > compare > _compared > time > _guarded > gain_findings > __call__ > check_gain > _looked_at > run
  101.9ms wall   387.9 host   1.0 core1   fork seed0 side359 in481079 out1383 ('time', 4, 3) _compared > time > _guarded > gain_findings > __call__ > check_gain > _looked_at > run_case > run_case > run_with_answer > run
   66.1ms wall   261.6 host   1.3 core1   exec seed0 side510 in465206 out266 ('inspect', 400, 1) _compared > time > _guarded > gain_findings > __call__ > check_gain > watch > <genexpr> > _watched > ask > run
   47.7ms wall   207.0 host   1.2 core1   exec seed0 side359 in465206 out265 ('inspect', 400, 1) _compared > time > _guarded > gain_findings > __call__ > check_gain > watch > <genexpr> > _watched > ask > run
  155.6ms wall   581.1 host   1.4 core1   fork seed0 side510 in481079 out2969 ('time', 4, 12) __call__ > run > compare > _compared > time > _guarded > gain_findings > __call__ > check_gain > _looks_shifted > run
  129.3ms wall   418.5 host   1.0 core1   fork seed0 side359 in481079 out2961 ('time', 4, 12) __call__ > run > compare > _compared > time > _guarded > gain_findings > __call__ > check_gain > _looks_shifted > run
  164.0ms wall   630.5 host   1.0 core1   fork seed0 side510 in481079 out2915 ('time', 4, 12) __call__ > run > compare > _compared > time > _guarded > gain_findings > __call__ > check_gain > _looks_shifted > run
  124.2ms wall   546.4 host   1.0 core1   fork seed0 side359 in481079 out2901 ('time', 4, 12) __call__ > run > compare > _compared > time > _guarded > gain_findings > __call__ > check_gain > _looks_shifted > run
63 runs 5.272051417000001 cpu; starts [0.21773952400008056, 0.22533226300004117, 0.21804985999995097, 0.16735935700000937, 0.18549472199993033] self 2.985683 children 5.912717000000001 wall 26.41445931399994
