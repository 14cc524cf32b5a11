; ModuleID = 'small.4dca52b3df3c08d4-cgu.0'
source_filename = "small.4dca52b3df3c08d4-cgu.0"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@alloc_bf39103a6db665396aab4632362d9353 = private unnamed_addr constant [42 x i8] c"there is no such thing as an acquire store", align 1
@alloc_e17502e153481471943c37e20438384b = private unnamed_addr constant [80 x i8] c"/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/sync/atomic.rs\00", align 1
@alloc_a574beff59ab58cf5ed2d6bc163e2302 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_e17502e153481471943c37e20438384b, [16 x i8] c"O\00\00\00\00\00\00\00&\0F\00\00\18\00\00\00" }>, align 8
@alloc_00c0bce0fa6327f8ec8e69d6d765d508 = private unnamed_addr constant [50 x i8] c"there is no such thing as an acquire-release store", align 1
@alloc_aec0388915b72a4f610ad656c35be884 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_e17502e153481471943c37e20438384b, [16 x i8] c"O\00\00\00\00\00\00\00'\0F\00\00\17\00\00\00" }>, align 8

; core::ptr::drop_in_place::<small::Guard>
; Function Attrs: nonlazybind uwtable
define void @_RINvNtCsgEmfK2I1SDS_4core3ptr13drop_in_placeNtCs6G4Iq0jBgBk_5small5GuardEBI_(ptr align 8 %_1) unnamed_addr #0 !dbg !20 {
start:
  %_1.dbg.spill = alloca [8 x i8], align 8
  store ptr %_1, ptr %_1.dbg.spill, align 8
    #dbg_declare(ptr %_1.dbg.spill, !43, !DIExpression(), !46)
; call <small::Guard as core::ops::drop::Drop>::drop
  call void @_RNvXCs6G4Iq0jBgBk_5smallNtB2_5GuardNtNtNtCsgEmfK2I1SDS_4core3ops4drop4Drop4drop(ptr align 8 %_1), !dbg !46
  ret void, !dbg !46
}

; core::sync::atomic::atomic_store::<u32>
; Function Attrs: inlinehint nonlazybind uwtable
define void @_RINvNtNtCsgEmfK2I1SDS_4core4sync6atomic12atomic_storemECs6G4Iq0jBgBk_5small(ptr %dst, i32 %val, i8 %order) unnamed_addr #1 !dbg !47 {
start:
  %s.dbg.spill1 = alloca [16 x i8], align 8
  %s.dbg.spill = alloca [16 x i8], align 8
  %order.dbg.spill = alloca [1 x i8], align 1
  %val.dbg.spill = alloca [4 x i8], align 4
  %dst.dbg.spill = alloca [8 x i8], align 8
  store ptr %dst, ptr %dst.dbg.spill, align 8
    #dbg_declare(ptr %dst.dbg.spill, !53, !DIExpression(), !56)
  store i32 %val, ptr %val.dbg.spill, align 4
    #dbg_declare(ptr %val.dbg.spill, !54, !DIExpression(), !57)
  store i8 %order, ptr %order.dbg.spill, align 1
    #dbg_declare(ptr %order.dbg.spill, !55, !DIExpression(), !58)
  %_4 = zext i8 %order to i64, !dbg !59
  switch i64 %_4, label %bb1 [
    i64 0, label %bb6
    i64 1, label %bb5
    i64 2, label %bb3
    i64 3, label %bb2
    i64 4, label %bb4
  ], !dbg !60

bb1:                                              ; preds = %start
  unreachable, !dbg !59

bb6:                                              ; preds = %start
  store atomic i32 %val, ptr %dst monotonic, align 4, !dbg !61
  br label %bb7, !dbg !61

bb5:                                              ; preds = %start
  store atomic i32 %val, ptr %dst release, align 4, !dbg !62
  br label %bb7, !dbg !62

bb3:                                              ; preds = %start
  store ptr @alloc_bf39103a6db665396aab4632362d9353, ptr %s.dbg.spill, align 8, !dbg !63
  %0 = getelementptr inbounds i8, ptr %s.dbg.spill, i64 8, !dbg !63
  store i64 42, ptr %0, align 8, !dbg !63
    #dbg_declare(ptr %s.dbg.spill, !64, !DIExpression(), !168)
    #dbg_declare(ptr %s.dbg.spill, !169, !DIExpression(), !177)
    #dbg_declare(ptr %s.dbg.spill, !180, !DIExpression(), !185)
    #dbg_declare(ptr %s.dbg.spill, !187, !DIExpression(), !196)
; call core::panicking::panic_fmt
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking9panic_fmt(ptr @alloc_bf39103a6db665396aab4632362d9353, ptr inttoptr (i64 85 to ptr), ptr align 8 @alloc_a574beff59ab58cf5ed2d6bc163e2302) #6, !dbg !63
  unreachable, !dbg !63

bb2:                                              ; preds = %start
  store ptr @alloc_00c0bce0fa6327f8ec8e69d6d765d508, ptr %s.dbg.spill1, align 8, !dbg !199
  %1 = getelementptr inbounds i8, ptr %s.dbg.spill1, i64 8, !dbg !199
  store i64 50, ptr %1, align 8, !dbg !199
    #dbg_declare(ptr %s.dbg.spill1, !64, !DIExpression(), !200)
    #dbg_declare(ptr %s.dbg.spill1, !169, !DIExpression(), !201)
    #dbg_declare(ptr %s.dbg.spill1, !180, !DIExpression(), !203)
    #dbg_declare(ptr %s.dbg.spill1, !187, !DIExpression(), !205)
; call core::panicking::panic_fmt
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking9panic_fmt(ptr @alloc_00c0bce0fa6327f8ec8e69d6d765d508, ptr inttoptr (i64 101 to ptr), ptr align 8 @alloc_aec0388915b72a4f610ad656c35be884) #6, !dbg !199
  unreachable, !dbg !199

bb4:                                              ; preds = %start
  store atomic i32 %val, ptr %dst seq_cst, align 4, !dbg !207
  br label %bb7, !dbg !207

bb7:                                              ; preds = %bb4, %bb5, %bb6
  ret void, !dbg !208
}

; small::locked
; Function Attrs: noinline nonlazybind uwtable
define i32 @_RNvCs6G4Iq0jBgBk_5small6locked(ptr align 4 %x, ptr %f) unnamed_addr #2 personality ptr @rust_eh_personality !dbg !209 {
start:
  %v.dbg.spill = alloca [4 x i8], align 4
  %0 = alloca [16 x i8], align 8
  %f.dbg.spill = alloca [8 x i8], align 8
  %x.dbg.spill = alloca [8 x i8], align 8
  %_4 = alloca [8 x i8], align 4
  %_g = alloca [8 x i8], align 8
  %_0 = alloca [4 x i8], align 4
  store ptr %x, ptr %x.dbg.spill, align 8
    #dbg_declare(ptr %x.dbg.spill, !229, !DIExpression(), !235)
  store ptr %f, ptr %f.dbg.spill, align 8
    #dbg_declare(ptr %f.dbg.spill, !230, !DIExpression(), !236)
    #dbg_declare(ptr %_g, !231, !DIExpression(), !237)
  store ptr %x, ptr %_g, align 8, !dbg !238
  %1 = invoke { i32, i32 } %f(i32 1)
          to label %bb1 unwind label %cleanup, !dbg !239

bb7:                                              ; preds = %cleanup
; invoke core::ptr::drop_in_place::<small::Guard>
  invoke void @_RINvNtCsgEmfK2I1SDS_4core3ptr13drop_in_placeNtCs6G4Iq0jBgBk_5small5GuardEBI_(ptr align 8 %_g) #7
          to label %bb8 unwind label %terminate, !dbg !240

cleanup:                                          ; preds = %start
  %2 = landingpad { ptr, i32 }
          cleanup
  %3 = extractvalue { ptr, i32 } %2, 0
  %4 = extractvalue { ptr, i32 } %2, 1
  store ptr %3, ptr %0, align 8
  %5 = getelementptr inbounds i8, ptr %0, i64 8
  store i32 %4, ptr %5, align 8
  br label %bb7

bb1:                                              ; preds = %start
  %6 = extractvalue { i32, i32 } %1, 0, !dbg !239
  %7 = extractvalue { i32, i32 } %1, 1, !dbg !239
  store i32 %6, ptr %_4, align 4, !dbg !239
  %8 = getelementptr inbounds i8, ptr %_4, i64 4, !dbg !239
  store i32 %7, ptr %8, align 4, !dbg !239
  %9 = load i32, ptr %_4, align 4, !dbg !239
  %10 = getelementptr inbounds i8, ptr %_4, i64 4, !dbg !239
  %11 = load i32, ptr %10, align 4, !dbg !239
  %_5 = zext i32 %9 to i64, !dbg !239
  %12 = trunc nuw i64 %_5 to i1, !dbg !241
  br i1 %12, label %bb4, label %bb3, !dbg !241

bb4:                                              ; preds = %bb1
  %13 = getelementptr inbounds i8, ptr %_4, i64 4, !dbg !242
  %v = load i32, ptr %13, align 4, !dbg !242
  store i32 %v, ptr %v.dbg.spill, align 4, !dbg !242
    #dbg_declare(ptr %v.dbg.spill, !233, !DIExpression(), !243)
  store i32 %v, ptr %_0, align 4, !dbg !244
  br label %bb5, !dbg !245

bb3:                                              ; preds = %bb1
  store i32 7, ptr %_0, align 4, !dbg !246
  br label %bb5, !dbg !246

bb5:                                              ; preds = %bb4, %bb3
; call core::ptr::drop_in_place::<small::Guard>
  call void @_RINvNtCsgEmfK2I1SDS_4core3ptr13drop_in_placeNtCs6G4Iq0jBgBk_5small5GuardEBI_(ptr align 8 %_g), !dbg !240
  %14 = load i32, ptr %_0, align 4, !dbg !247
  ret i32 %14, !dbg !247

bb2:                                              ; No predecessors!
  unreachable, !dbg !239

terminate:                                        ; preds = %bb7
  %15 = landingpad { ptr, i32 }
          filter [0 x ptr] zeroinitializer
; call core::panicking::panic_in_cleanup
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking16panic_in_cleanup() #8, !dbg !248
  unreachable, !dbg !248

bb8:                                              ; preds = %bb7
  %16 = load ptr, ptr %0, align 8, !dbg !248
  %17 = getelementptr inbounds i8, ptr %0, i64 8, !dbg !248
  %18 = load i32, ptr %17, align 8, !dbg !248
  %19 = insertvalue { ptr, i32 } poison, ptr %16, 0, !dbg !248
  %20 = insertvalue { ptr, i32 } %19, i32 %18, 1, !dbg !248
  resume { ptr, i32 } %20, !dbg !248
}

; <core::sync::atomic::AtomicU32>::store
; Function Attrs: inlinehint nonlazybind uwtable
define internal void @_RNvMs1b_NtNtCsgEmfK2I1SDS_4core4sync6atomicNtB6_9AtomicU325storeCs6G4Iq0jBgBk_5small(ptr align 4 %self, i32 %val, i8 %order) unnamed_addr #1 !dbg !249 {
start:
  %order.dbg.spill = alloca [1 x i8], align 1
  %val.dbg.spill = alloca [4 x i8], align 4
  %self.dbg.spill = alloca [8 x i8], align 8
  store ptr %self, ptr %self.dbg.spill, align 8
    #dbg_declare(ptr %self.dbg.spill, !254, !DIExpression(), !257)
  store i32 %val, ptr %val.dbg.spill, align 4
    #dbg_declare(ptr %val.dbg.spill, !255, !DIExpression(), !258)
  store i8 %order, ptr %order.dbg.spill, align 1
    #dbg_declare(ptr %order.dbg.spill, !256, !DIExpression(), !259)
    #dbg_value(ptr %self, !260, !DIExpression(), !268)
; call core::sync::atomic::atomic_store::<u32>
  call void @_RINvNtNtCsgEmfK2I1SDS_4core4sync6atomic12atomic_storemECs6G4Iq0jBgBk_5small(ptr %self, i32 %val, i8 %order) #9, !dbg !270
  ret void, !dbg !271
}

; <small::Guard as core::ops::drop::Drop>::drop
; Function Attrs: nonlazybind uwtable
define void @_RNvXCs6G4Iq0jBgBk_5smallNtB2_5GuardNtNtNtCsgEmfK2I1SDS_4core3ops4drop4Drop4drop(ptr align 8 %self) unnamed_addr #0 !dbg !272 {
start:
  %self.dbg.spill = alloca [8 x i8], align 8
  store ptr %self, ptr %self.dbg.spill, align 8
    #dbg_declare(ptr %self.dbg.spill, !278, !DIExpression(), !279)
  %_4 = load ptr, ptr %self, align 8, !dbg !280
; call <core::sync::atomic::AtomicU32>::store
  call void @_RNvMs1b_NtNtCsgEmfK2I1SDS_4core4sync6atomicNtB6_9AtomicU325storeCs6G4Iq0jBgBk_5small(ptr align 4 %_4, i32 0, i8 1) #9, !dbg !281
  ret void, !dbg !282
}

; core::panicking::panic_fmt
; Function Attrs: cold noinline noreturn nonlazybind uwtable
declare void @_RNvNtCsgEmfK2I1SDS_4core9panicking9panic_fmt(ptr, ptr, ptr align 8) unnamed_addr #3

; Function Attrs: nonlazybind
declare i32 @rust_eh_personality(...) unnamed_addr #4

; core::panicking::panic_in_cleanup
; Function Attrs: cold minsize noinline noreturn nounwind nonlazybind optsize uwtable
declare void @_RNvNtCsgEmfK2I1SDS_4core9panicking16panic_in_cleanup() unnamed_addr #5

attributes #0 = { nonlazybind uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #1 = { inlinehint nonlazybind uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #2 = { noinline nonlazybind uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #3 = { cold noinline noreturn nonlazybind uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #4 = { nonlazybind "target-cpu"="x86-64" }
attributes #5 = { cold minsize noinline noreturn nounwind nonlazybind optsize uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #6 = { noinline noreturn }
attributes #7 = { cold }
attributes #8 = { cold noreturn nounwind }
attributes #9 = { inlinehint }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4}
!llvm.dbg.cu = !{!5}

!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{i32 2, !"RtLibUseGOT", i32 1}
!2 = !{i32 7, !"Dwarf Version", i32 4}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{!"rustc version 1.95.0 (59807616e 2026-04-14)"}
!5 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !6, producer: "clang LLVM (rustc version 1.95.0 (59807616e 2026-04-14))", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, enums: !7, splitDebugInlining: false, nameTableKind: None)
!6 = !DIFile(filename: "small.rs/@/small.4dca52b3df3c08d4-cgu.0", directory: "/src")
!7 = !{!8}
!8 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "Ordering", scope: !10, file: !9, baseType: !13, size: 8, align: 8, flags: DIFlagEnumClass, elements: !14)
!9 = !DIFile(filename: "<unknown>", directory: "")
!10 = !DINamespace(name: "atomic", scope: !11)
!11 = !DINamespace(name: "sync", scope: !12)
!12 = !DINamespace(name: "core", scope: null)
!13 = !DIBasicType(name: "u8", size: 8, encoding: DW_ATE_unsigned)
!14 = !{!15, !16, !17, !18, !19}
!15 = !DIEnumerator(name: "Relaxed", value: 0, isUnsigned: true)
!16 = !DIEnumerator(name: "Release", value: 1, isUnsigned: true)
!17 = !DIEnumerator(name: "Acquire", value: 2, isUnsigned: true)
!18 = !DIEnumerator(name: "AcqRel", value: 3, isUnsigned: true)
!19 = !DIEnumerator(name: "SeqCst", value: 4, isUnsigned: true)
!20 = distinct !DISubprogram(name: "drop_in_place<small::Guard>", linkageName: "_RINvNtCsgEmfK2I1SDS_4core3ptr13drop_in_placeNtCs6G4Iq0jBgBk_5small5GuardEBI_", scope: !22, file: !21, line: 805, type: !23, scopeLine: 805, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !5, templateParams: !44, retainedNodes: !42)
!21 = !DIFile(filename: "library/core/src/ptr/mod.rs", directory: "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860", checksumkind: CSK_MD5, checksum: "8f706ae0a0620120e6e931983ef127f1")
!22 = !DINamespace(name: "ptr", scope: !12)
!23 = !DISubroutineType(types: !24)
!24 = !{null, !25}
